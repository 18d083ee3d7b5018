let known = null;
const compare = () => {
  if (!props.value) return;
  const {marker} = props.value;
  if (known !== null && known !== marker) trigger('stale', {});
  known = marker;
};
watch('value', compare);
compare();
