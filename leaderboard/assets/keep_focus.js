let voted = '';
element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-choice]');
  voted = button ? `[data-verdict="${button.dataset.verdict}"][data-choice="${button.dataset.choice}"]` : '';
});
watch('value', () => requestAnimationFrame(() => {
  if (voted && !element.contains(document.activeElement)) element.querySelector(voted)?.focus();
}));
