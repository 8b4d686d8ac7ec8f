// A graph of labelled nodes and edges: move it, zoom, choose a node.
import { drag } from "d3-drag";
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";

const TICKS = 250;
const WORDED = 40; // edges that still show their labels; of more, pointing at one shows it
const SMALLEST = 0.8; // scale below which labels cannot be read
const LONGEST = 28; // characters of a label

const places = new WeakMap(); // where nodes stood, so that exploring on does not shuffle them

export function showGraph({ parentElement: root, data, setTriggerValue }) {
  const host = root.querySelector(".graph");
  const shown = JSON.stringify(data);
  if (host.shown === shown) return undefined;
  host.shown = shown;
  const known = places.get(root) ?? new Map();
  places.set(root, known);
  const width = host.clientWidth || 600;
  const height = host.clientHeight || 420;
  const nodes = data.nodes.map((node) => ({ ...node, ...known.get(node.id) }));
  const links = data.edges.map((edge) => ({ ...edge }));
  const simulation = forceSimulation(nodes)
    .force("link", forceLink(links).id((d) => d.id).distance(110))
    .force("charge", forceManyBody().strength(-320))
    .force("collide", forceCollide(34))
    .force("x", forceX(0).strength(0.06))
    .force("y", forceY(0).strength(0.09))
    .stop();
  simulation.tick(TICKS);

  const svg = select(host).html("").append("svg").attr("role", "group").attr("aria-label", data.label);
  svg.append("defs").append("marker").attr("id", "arrow").attr("viewBox", "0 -4 8 8").attr("refX", 17)
    .attr("markerWidth", 7).attr("markerHeight", 7).attr("orient", "auto")
    .append("path").attr("d", "M0,-4L8,0L0,4").attr("class", "arrow");
  const canvas = svg.append("g");
  const edge = canvas.append("g").selectAll("g").data(links).join("g").attr("class", "edge");
  edge.append("line").attr("marker-end", "url(#arrow)");
  edge.append("text").text((d) => (links.length > WORDED ? "" : brief(d.label)));
  edge.append("title").text((d) => d.label);
  const node = canvas.append("g").selectAll("g").data(nodes).join("g")
    .attr("class", (d) => `node ${d.kind}${d.chosen ? " chosen" : ""}`)
    .attr("tabindex", (d) => (d.kind === "iri" ? 0 : null))
    .attr("role", (d) => (d.kind === "iri" ? "button" : null))
    .attr("aria-label", (d) => d.label)
    .on("click", (event, d) => choose(event, d))
    .on("keydown", (event, d) => (event.key === "Enter" || event.key === " ") && choose(event, d));
  node.append("circle").attr("r", (d) => (d.kind === "literal" ? 4 : 8));
  node.append("text").attr("dy", 21).text((d) => brief(d.label));
  node.append("title").text((d) => `${d.label}\n${d.name}`);

  function choose(event, d) {
    event.preventDefault();
    if (d.kind === "iri") setTriggerValue("node", d.id);
  }

  function place() {
    edge.select("line").attr("x1", (d) => d.source.x).attr("y1", (d) => d.source.y)
      .attr("x2", (d) => d.target.x).attr("y2", (d) => d.target.y);
    edge.select("text").attr("x", (d) => (d.source.x + d.target.x) / 2)
      .attr("y", (d) => (d.source.y + d.target.y) / 2 - 3);
    node.attr("transform", (d) => `translate(${d.x},${d.y})`);
    for (const { id, x, y } of nodes) known.set(id, { x, y });
  }

  const zooming = zoom().scaleExtent([0.15, 4]).filter((event) => event.type !== "wheel" || event.ctrlKey || event.metaKey)
    .on("zoom", ({ transform }) => canvas.attr("transform", transform));
  svg.call(zooming);
  node.call(drag().clickDistance(4)
    .on("drag", (event, d) => { d.x = event.x; d.y = event.y; place(); }));
  place();
  fit();

  function fit() {
    const xs = nodes.map((d) => d.x), ys = nodes.map((d) => d.y);
    const left = Math.min(...xs) - 70, right = Math.max(...xs) + 70;
    const top = Math.min(...ys) - 30, bottom = Math.max(...ys) + 40;
    const scale = Math.max(SMALLEST, Math.min(1.2, width / (right - left), height / (bottom - top)));
    svg.call(zooming.transform, zoomIdentity.translate(width / 2, height / 2).scale(scale)
      .translate(-(left + right) / 2, -(top + bottom) / 2));
  }
  return undefined;
}

function brief(text) {
  const characters = Array.from(text);
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join("")}…` : text;
}
