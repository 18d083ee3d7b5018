const drawers = () => [...document.querySelectorAll('[id$="-drawer"]')];
const buttonOf = (drawer) => drawer.querySelector(':scope > .label-wrap');
const isOpen = (drawer) => Boolean(buttonOf(drawer)?.classList.contains('open'));
const nameOf = (drawer) => drawer.id.replace(/^.*?([a-z]+)-drawer$/, '$1');
const openDrawer = () => {
  for (const drawer of drawers()) buttonOf(drawer)?.setAttribute('aria-expanded', isOpen(drawer));
  const open = drawers().find(isOpen);
  return open ? nameOf(open) : '';
};
// What the address asks for, once: what is not there then is not waited for. One that ends with a chart leads there.
let asked = location.hash ? '' : new URLSearchParams(location.search).get(DRAWER);
const openAsked = () => {
  const wanted = asked && drawers().find((drawer) => nameOf(drawer) === asked && !isOpen(drawer));
  asked = '';
  if (wanted) buttonOf(wanted)?.click();
};
const whenDrawn = (act) => requestAnimationFrame(() => requestAnimationFrame(act));
// Before gradio opens or closes it: two would push the table down, and lie over each other on a phone.
const onDrawerUsed = (act) => document.addEventListener('click', (event) => {
  const used = event.target instanceof Element && event.target.closest('[id$="-drawer"] > .label-wrap');
  if (!used) return;
  const others = drawers().filter((drawer) => isOpen(drawer) && drawer !== used.parentElement);
  if (!used.classList.contains('open')) for (const other of others) buttonOf(other).click();
  whenDrawn(act);
}, {capture: true});
