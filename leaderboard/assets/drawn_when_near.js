let drawn = null;
let observer = null;
const wait = (tries) => {
  if (observer) observer.disconnect();
  const value = props.value;
  if (!value) return;
  const place = document.getElementById(value.target);
  if (!place) {
    if (tries) requestAnimationFrame(() => wait(tries - 1));
    return;
  }
  observer = new IntersectionObserver((entries) => {
    if (!entries.at(-1).isIntersecting || drawn === value.marker) return;
    drawn = value.marker;
    trigger('near', {width: Math.round(place.clientWidth)});
  }, {rootMargin: '300px 0px'});
  observer.observe(place);
};
watch('value', () => wait(300));
wait(300);
