element.addEventListener('click', (event) => {
  const row = event.target.closest('tr[data-row]');
  const heading = event.target.closest('button[data-choice]');
  if (heading) return trigger('choose', {choice: heading.dataset.choice});
  if (row && event.target.closest('[data-open]')) return trigger('open', {row: row.dataset.row});
  const cell = event.target.closest('td');
  if (!row || !cell || String(window.getSelection())) return;
  const head = element.querySelectorAll('button[data-choice]')[cell.cellIndex - 3];
  if (head) trigger('choose', {choice: head.dataset.choice});
});
