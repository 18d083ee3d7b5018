const reachable = 'a[href], button, input, select, textarea, summary, [tabindex]';
const describe = (element) => {
  const row = element.closest('tr[data-row]');
  const used = row?.querySelector('[data-open]') ?? element.closest(reachable);
  const part = used?.closest('[id]:not([id^="html-"])');  // gradio makes up those of its frames each time
  if (!part) return null;
  return {part: part.id, row: row?.dataset.row ?? null, at: [...part.querySelectorAll(reachable)].indexOf(used)};
};
const find = (told) => {
  const part = document.getElementById(told.part);
  if (!part || told.row === null) return part && (part.querySelectorAll(reachable)[told.at] ?? part);
  return part.querySelector(`tr[data-row="${CSS.escape(told.row)}"] [data-open]`);
};
const isSeen = (element) => Boolean(element?.checkVisibility({visibilityProperty: true}));
// What was used last, and in each view that was left what was used there.
let used = null, hands = 0;
const left = new Map();
const leave = (view) => {
  left.set(view, used);
  history.replaceState({...history.state, focus: used}, '');
};
for (const begins of ['click', 'focusin']) {
  document.addEventListener(begins, (event) => {
    if (event.target instanceof Element) used = describe(event.target) ?? used;
  }, {capture: true});
}
for (const begins of ['pointerdown', 'keydown']) {
  document.addEventListener(begins, () => { hands += 1; }, {capture: true});
}
window.addEventListener('beforeunload', () => {
  const focus = document.activeElement === document.body ? null : describe(document.activeElement);
  history.replaceState({...history.state, focus}, '');
});
// Once the view is drawn, and while nobody does anything else: there, else to what leads out of the view. A table that
// is drawn after that would lose it again, so this goes on for three seconds, and on a slow machine for 180 pictures.
let landing = 0;
const land = (told, hasMoved) => {
  landing += 1;  // whatever still waits for another view gives up
  if (!told && !hasMoved) return;
  const mine = landing, before = hands, ends = performance.now() + 3000;
  let pictures = 0;
  const act = () => {
    pictures += 1;
    if (mine !== landing || hands !== before || (performance.now() > ends && pictures > 180)) return;
    if (!isSeen(document.activeElement?.closest(reachable))) {
      const wanted = told && find(told);
      const out = [...document.querySelectorAll('button[id^="to-"]')].filter(isSeen).at(-1);
      if (isSeen(wanted)) wanted.focus();
      else if (!told) out?.focus();
    }
    requestAnimationFrame(act);
  };
  whenDrawn(act);
};
