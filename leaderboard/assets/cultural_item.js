let pressed = null;
element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-pair]');
  if (!button) return;
  pressed = button.dataset.pair;
  trigger('open', {pair: pressed});
});
watch('value', () => requestAnimationFrame(() => {
  if (pressed === null || element.contains(document.activeElement)) return;
  const buttons = [...element.querySelectorAll('button[data-pair]')];
  (buttons.find((button) => button.dataset.pair === pressed) ?? buttons[0])?.focus();
  pressed = null;
}));
