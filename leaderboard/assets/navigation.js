document.title = props.value.title;
element.querySelector('.skip-link').addEventListener('click', (event) => {
  event.preventDefault();
  const parts = [...document.querySelectorAll('.table-frame, .shown:not(.page-links, .handover)')];
  const shown = parts.find((part) => part.offsetParent);
  if (!shown) return;
  if (!shown.hasAttribute('tabindex')) shown.tabIndex = -1;
  shown.focus();
  shown.scrollIntoView({block: 'start'});
});
// Before a link of this site is followed, in whichever way.
for (const begins of ['pointerdown', 'keydown']) {
  document.addEventListener(begins, (event) => {
    const link = event.target instanceof Element && event.target.closest('a[href]');
    if (link && link.origin === location.origin && location.search.includes('__')) link.href = withHosts(link.href);
  }, {capture: true});
}
