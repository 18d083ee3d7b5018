element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-pair], button[data-stance]');
  if (!button) return;
  if (button.dataset.pair) trigger('open', {pair: button.dataset.pair});
  else trigger('vote', {verdict: button.dataset.verdict, stance: button.dataset.stance});
});
