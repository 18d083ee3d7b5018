const STEPS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
element.addEventListener('keydown', (event) => {
  const cell = event.target.closest('.heat th, .heat td');
  const step = STEPS[event.key];
  if (!cell || !step) return;
  const rows = cell.closest('table').rows;
  let at = cell.parentElement.rowIndex + step[0];
  while (rows[at]?.matches('.part')) at += step[0];
  const row = rows[at];
  const link = row?.cells[cell.cellIndex + step[1]]?.querySelector('a');
  if (!link) return;
  event.preventDefault();
  link.focus();
});
const tell = (event) => {
  const told = event.target.closest('.heat [title]');
  const foot = told?.closest('.atlas').querySelector('.atlas-pointed');
  if (foot) foot.textContent = told.title;
};
element.addEventListener('focusin', tell);
element.addEventListener('pointerover', tell);
