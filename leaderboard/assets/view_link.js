// What the browser is asked for by Back and Forward, the last that was answered, and where the page stands now.
let sought = 0, answered = 0, place = null;
const carry = () => {
  if (!props.value || props.value.visit < sought) return;
  const {elsewhere, query, place: shownPlace, visit} = props.value;
  if (elsewhere) { location[place === null ? 'replace' : 'assign'](withHosts(elsewhere)); return; }
  const shown = withHosts(location.pathname + (query ? `?${query}` : ''));
  const drawer = openDrawer();
  // The server is told of the chart, too: it makes the preview of the link.
  const chart = location.hash.match(/chart-([a-z_-]+)$/)?.[1];
  if (chart) shown.search += `${shown.search ? '&' : '?'}${CHART}=${chart}`;
  if (drawer && !location.hash) shown.search += `${shown.search ? '&' : '?'}${DRAWER}=${drawer}`;
  const isFirst = place === null, isOther = shownPlace !== place, isRevisit = visit !== answered;
  if (isOther && !isFirst && !isRevisit) {
    leave(place);
    history.pushState(null, '', shown.pathname + shown.search);
  } else {
    history.replaceState(history.state, '', shown.pathname + shown.search + location.hash);
  }
  [place, answered] = [shownPlace, visit];
  if (isFirst || isRevisit) land(history.state?.focus, !isFirst);
  else if (isOther) land(left.get(shownPlace), true);
};
window.addEventListener('popstate', () => {
  const ours = new URLSearchParams(location.search);
  for (const name of [...ours.keys()]) if ([DRAWER, CHART].includes(name) || name.startsWith('__')) ours.delete(name);
  const isShown = ours.toString() === new URLSearchParams(props.value?.query ?? '').toString();
  if (isShown && sought === answered) return;  // a chart of this very view
  sought += 1;
  landing += 1;
  trigger('revisited', {query: location.search.slice(1), visit: sought});
});
// *Reset* goes once nothing is left to take back: whoever pressed it goes on from the drawer behind it.
let next = null, turn = 0;
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element && event.target.closest('.toolbar > button');
  next = button ? button.nextElementSibling?.querySelector('.label-wrap') : null;
});
const goOn = () => {
  if (next && document.activeElement === document.body) next.focus();
  next = null;
};
watch('value', () => {
  const isLate = props.value?.turn < turn;
  // The server knows this visitor no more: their address does.
  if (isLate && props.value.turn === 0) { location.reload(); return; }
  turn = props.value?.turn ?? turn;
  if (isLate) { trigger('late', {}); return; }
  if (props.value && !props.value.elsewhere) openAsked();
  carry();
  whenDrawn(() => { carry(); goOn(); });  // a drawer goes with what it stands above
});
onDrawerUsed(carry);
window.addEventListener('hashchange', carry);
