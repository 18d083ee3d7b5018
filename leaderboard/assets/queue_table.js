element.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  const row = event.target.closest('tr[data-row]');
  if (button?.dataset.turn) trigger('turn', {page: Number(button.dataset.turn)});
  else if (row && !String(window.getSelection())) trigger('open', {row: row.dataset.row});
});
