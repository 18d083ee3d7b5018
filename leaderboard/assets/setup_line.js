let isOpen = true;
let seen = 0;
const draw = () => {
  const line = element.querySelector('.setup-line'), button = element.querySelector('[data-change]');
  line.toggleAttribute('data-folded', !isOpen);
  button.setAttribute('aria-expanded', String(isOpen));
  button.textContent = isOpen ? 'Close' : 'Change';
};
const settle = () => {
  const shown = props.value?.shown;
  if (shown && shown !== seen) { seen = shown; isOpen = false; }
  draw();
};
element.addEventListener('click', (event) => {
  if (!event.target.closest('[data-change]')) return;
  isOpen = !isOpen;
  draw();
});
watch('value', settle);
settle();
