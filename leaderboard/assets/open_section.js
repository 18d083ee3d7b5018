const wanted = () => {
  const section = new URLSearchParams(location.search).get('section');
  return section && element.querySelector(`details[data-section="${CSS.escape(section)}"]`);
};
const open = (tries) => {
  const found = wanted();
  if (!found) return;
  if (!found.getClientRects().length) {
    if (tries) setTimeout(() => open(tries - 1), 50);
    return;
  }
  found.open = true;
  found.scrollIntoView({block: 'start'});
  found.querySelector('summary').focus({preventScroll: true});
};
watch('value', () => requestAnimationFrame(() => open(200)));
