element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-report]');
  if (button) trigger('report', {ticket: button.dataset.report});
  const paper = event.target.closest('button[data-paper]');
  if (paper) trigger('paper', {ticket: paper.dataset.paper});
  const choice = event.target.closest('button[data-choice]');
  if (choice) trigger('choose', {ticket: choice.dataset.ticket, choice: choice.dataset.choice});
});
