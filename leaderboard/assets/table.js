// It may have come with the page: what is pressed before the page is opened is told then, or opening would undo it.
const told = (name, what) => {
  if (document.querySelector('#view-link a')) trigger(name, what);
  else requestAnimationFrame(() => told(name, what));
};
// Of the headers Tab reaches one alone, from which the arrow keys lead to the others.
element.addEventListener('keydown', (event) => {
  const heads = [...element.querySelectorAll('thead button')];
  const from = heads.indexOf(event.target);
  const to = {ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: heads.length - 1}[event.key];
  if (from < 0 || !heads[to]) return;
  event.preventDefault();
  heads[to].focus();
});
element.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  const row = event.target.closest('tr[data-row]');
  const fold = event.target.closest('.fold-row')?.querySelector('[data-fold]');
  if (event.target.closest('details, .term')) return;
  if (fold) return told('fold', {baselines: fold.dataset.fold});
  if (button?.dataset.more) {
    const heads = [...element.querySelectorAll('thead th')];
    for (const [place, cell] of [...row.cells].entries()) {
      cell.dataset.label = heads[place].innerText.replace(/[▲▼]/, '').trim();
      if (cell.tagName === 'TH' || !heads[place].dataset.term || cell.querySelector('.card-label')) continue;
      const label = document.createElement('button');
      Object.assign(label, {type: 'button', className: 'term card-label', textContent: cell.dataset.label});
      label.dataset.term = heads[place].dataset.term;
      cell.prepend(label);
    }
    button.ariaExpanded = row.classList.toggle('is-whole');
    return;
  }
  if (button?.dataset.sort) told('sort', {key: button.dataset.sort});
  else if (button?.dataset.turn) told('turn', {page: Number(button.dataset.turn)});
  else if (button?.dataset.undo) told('undo', {key: button.dataset.undo});
  else if (row?.querySelector('[data-open]') && (button || !String(window.getSelection()))) {
    told('open', {row: row.dataset.row});
  }
});
