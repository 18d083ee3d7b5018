element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-place]');
  if (button) trigger('open', {place: button.dataset.place});
});
