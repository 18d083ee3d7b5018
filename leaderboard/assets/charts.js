// The library's own button would send a chart to a service of its makers.
const CONFIG = {responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: ''};
const NARROW = 480;
// On a phone: titles of axes take several lines, a legend has its own room, and a heat map keeps legible digits: its
// frame scrolls sideways.
const suited = (place, {data, layout}) => {
  if (place.clientWidth > NARROW) return layout;
  const lines = (text, least) => text.replaceAll('<br>', ' ').replace(new RegExp(`(.{${least},}?) `, 'g'), '$1<br>');
  const fitted = {...layout};
  for (const name of Object.keys(layout).filter((key) => /^[xy]axis/.test(key))) {
    const title = layout[name].title;
    if (title?.text) fitted[name] = {...layout[name], title: {...title, text: lines(title.text, 14)}};
  }
  fitted.annotations = layout.annotations?.map((note) =>
    note.xref === 'paper' && note.x === 0 && !note.textangle ? {...note, text: lines(note.text, 20)} : note);
  const named = data.filter((trace) => trace.name && trace.showlegend !== false).length;
  if (layout.showlegend !== false && layout.height) {
    const below = 18 * (fitted.xaxis?.title?.text?.split('<br>').length ?? 0);
    fitted.height = layout.height + (named > 2 ? 10 * named : 0) + below;
    const legend = {...layout.template?.layout?.legend, ...layout.legend};
    if (legend.y < 0) fitted.legend = {...layout.legend, y: legend.y - below / Math.max(layout.height - 140, 80)};
  }
  const cells = Math.max(0, ...data.filter(({type}) => type === 'heatmap').map(({z}) => z[0]?.length ?? 0));
  if (cells) {
    place.style.minWidth = `${170 + 46 * cells}px`;
    place.parentElement.tabIndex = 0;
  }
  return fitted;
};
let drawn = [];
let begun = 0;
let near = null;
let waiting = new Map();
const library = () => {
  window.plumblinePlots ??= new Promise((ready, failed) => {
    const script = document.createElement('script');
    script.src = source;
    script.onload = () => ready(window.Plotly);
    script.onerror = () => { window.plumblinePlots = null; failed(); };
    document.head.append(script);
  });
  return window.plumblinePlots;
};
const draw = async () => {
  // The last that begins goes on. The value says nothing of that: gradio 6.31 copies it whenever anything else changes.
  begun += 1;
  const mine = begun, value = props.value;
  const places = value ? [...element.querySelectorAll('[data-plot]')] : [];
  const figures = new Map(
    places.map((place) => [place, value.figures[place.dataset.plot]]).filter(([, figure]) => figure));
  if (!figures.size) return;
  let plotly;
  try { plotly = await library(); } catch {
    for (const place of figures.keys()) {
      place.textContent = 'The drawing library did not load. The numbers stand below.';
    }
    return;
  }
  if (mine !== begun) return;
  for (const place of drawn) plotly.purge(place);
  drawn = [...figures.keys()];
  near?.disconnect();
  near = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) if (isIntersecting) waiting.get(target)?.();
  }, {rootMargin: '300px 0px'});
  waiting = new Map();
  for (const [place, figure] of figures) {
    const height = figure.layout.height;
    if (height) place.style.minHeight = `${height}px`;  // what is below stays where it will be
    waiting.set(place, () => {
      near.unobserve(place);
      waiting.delete(place);
      plotly.newPlot(place, figure.data, suited(place, figure), CONFIG);
    });
    near.observe(place);
  }
};
// Paper shows what nobody has come near, and a chart drawn for a wider screen as a whole.
const ofPlots = () => element.querySelectorAll('.main-svg');
window.addEventListener('beforeprint', () => {
  for (const [place, drawNow] of [...waiting]) if (place.clientWidth) drawNow();
  for (const svg of ofPlots()) {
    svg.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${svg.getAttribute('height')}`);
  }
});
window.addEventListener('afterprint', () => { for (const svg of ofPlots()) svg.removeAttribute('viewBox'); });
// A link that ends with a chart leads to it: as often as what stands above it grows, until it is drawn.
let arrived = '';
const settling = new ResizeObserver(() => go());
const go = () => {
  const name = location.hash.slice(1);
  const chart = name && name !== arrived && element.querySelector(`#${CSS.escape(name)}`);
  if (!chart) return;
  chart.scrollIntoView();
  if (drawn.length) {
    arrived = name;
    settling.disconnect();
  }
};
// A file says what it shows, of what, and where it is from: it stands alone.
const save = async (chart, format) => {
  const place = chart.querySelector('[data-plot]');
  const figure = props.value.figures[place.dataset.plot];
  if (!figure) return;
  const plain = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const view = new URL(location.href);
  // What the host put there, and which drawer is open, are not part of what is shown.
  const isOther = (name) => name.startsWith('__') || ['drawer', 'chart'].includes(name);
  const others = [...view.searchParams.keys()].filter(isOther);
  for (const name of others) view.searchParams.delete(name);
  view.hash = chart.id;
  const title = chart.querySelector('h3').textContent;
  const width = Math.max(place.clientWidth, 600), height = Math.max(place.clientHeight, 240) + 110;
  const margin = figure.layout.margin ?? {};
  const below = {xref: 'paper', yref: 'paper', x: 0, y: 0, xanchor: 'left', yanchor: 'bottom', showarrow: false,
    align: 'left', font: {size: 10}};
  const layout = {...figure.layout, width, height, autosize: false,
    title: {text: plain(title), x: 0, xref: 'paper', font: {size: 15}},
    margin: {...margin, t: (margin.t ?? 40) + 40, b: (margin.b ?? 40) + 70},
    annotations: [...(figure.layout.annotations ?? []),
      {...below, yshift: -(margin.b ?? 40) - 62,
        text: [props.value.source, view.href].filter(Boolean).map(plain).join('<br>')}]};
  layout.paper_bgcolor = layout.plot_bgcolor = getComputedStyle(chart).backgroundColor;
  const plotly = await library();
  const drawnAs = format === 'pdf' ? 'svg' : format;
  const scale = format === 'pdf' ? 1 : 2;  // what is printed has the size of its page
  const image = await plotly.toImage({data: figure.data, layout}, {format: drawnAs, width, height, scale});
  const name = `plumbline-${chart.id}`;
  if (format === 'pdf') {
    print(name, decodeURIComponent(image.slice(image.indexOf(',') + 1)), width, height);
    return;
  }
  const link = document.createElement('a');
  link.href = image;
  link.download = `${name}.${format}`;
  link.click();
};
// A page of the chart's size is all that it needs.
const print = (name, svg, width, height) => {
  // One pixel more in height: rounding must not begin a second page.
  printPage(`<!doctype html><title>${name}</title><style>@page{size:${width}px ${height + 1}px;margin:0}` +
    `html,body{margin:0}svg{display:block}</style>${svg}`);
};
// Numbers that somebody opened stay open when the charts are drawn anew.
const opened = new Set();
element.addEventListener('toggle', (event) => {
  const chart = event.target.closest('section.chart');
  if (chart) opened[event.target.open ? 'add' : 'delete'](chart.id);
}, true);
watch('value', () => {
  for (const id of opened) document.getElementById(id)?.querySelector('details')?.setAttribute('open', '');
  draw().then(go);
});
draw();
settling.observe(document.body);
element.addEventListener('click', (event) => {
  const saves = event.target.closest('[data-save]');
  if (saves) { save(saves.closest('section.chart'), saves.dataset.save); return; }
  const here = event.target.closest('[data-here]');
  if (here) {
    event.preventDefault();
    location.hash = arrived = here.closest('section.chart').id;
    return;
  }
  const row = event.target.closest('tr[data-row]');
  const button = event.target.closest('button');
  if (row?.querySelector('[data-open]') && (button || !String(window.getSelection()))) {
    trigger('open', {row: row.dataset.row});
  }
});
