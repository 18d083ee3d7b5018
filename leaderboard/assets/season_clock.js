let began = performance.now();
const tick = () => {
  const shown = element.querySelector('.season-clock time');
  if (!shown) return;
  const now = new Date((Number(shown.dataset.now) * 1000) + (performance.now() - began));
  shown.textContent = `${now.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
};
watch('value', () => { began = performance.now(); setTimeout(tick); });
tick();
setInterval(tick, 1000);
