/** Spending by day: sums, a chart, and the same as a table. */

import { h, replace, svg } from "./dom.mjs";
import { counted, dayText, dollars } from "./format.mjs";

/** @typedef {import("./account.mjs").Charge} Charge */
/** @typedef {{day: string, runs: number, runCents: number, changeCents: number}} Day */

const HEIGHT = 170;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 8;
const LABEL_WIDTH = 56;
const DAY_MS = 86_400_000;

/**
 * Returns the sums of each day up to today, days without charges included, in the browser's zone. Pure but for that zone.
 * @param {readonly Charge[]} charges
 * @param {number} days
 * @param {Date} today
 * @returns {Day[]}
 */
export function byDay(charges, days, today) {
  const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12).getTime();
  // From noon to noon: a day that is an hour shorter or longer stays the same day.
  const list = Array.from({ length: days }, (_, index) => ({
    day: dayText(new Date(noon - (days - 1 - index) * DAY_MS)),
    runs: 0,
    runCents: 0,
    changeCents: 0,
  }));
  const found = new Map(list.map((each) => [each.day, each]));
  for (const charge of charges) {
    const day = found.get(dayText(new Date(charge.time)));
    if (day === undefined) continue;
    if (charge.service === "execution") {
      day.runs += 1;
      day.runCents += charge.chargedCents;
    } else day.changeCents += charge.chargedCents;
  }
  return list;
}

/**
 * Builds the chart with its legend and table. It is drawn again when its width changes.
 * @param {readonly Day[]} days
 */
export function usageChart(days) {
  const picture = h("div", { class: "chart" });
  let drawn = 0;
  const watch = new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width === 0 || width === drawn) return;
    drawn = width;
    replace(picture, draw(days, width));
  });
  watch.observe(picture);
  const rows = days.filter((day) => day.runCents + day.changeCents > 0 || day.runs > 0);
  return h("div", { class: "stack" },
    h("p", { class: "legend" }, h("span", { class: "key-run" }, "Runs"), h("span", { class: "key-change" }, "Changes")),
    picture,
    h("details", {}, h("summary", {}, "As a table"),
      rows.length === 0 ? h("p", { class: "muted" }, "Nothing was charged.") : h("table", { class: "plain-table" },
        h("caption", { class: "hidden" }, "Spending by day"),
        h("thead", {}, h("tr", {}, ...["Day", "Runs", "Spent on runs", "Spent on changes"].map((title) => h("th", { scope: "col" }, title)))),
        h("tbody", {}, ...rows.map((day) => h("tr", {}, h("th", { scope: "row" }, day.day), h("td", {}, day.runs), h("td", {}, dollars(day.runCents)), h("td", {}, dollars(day.changeCents))))))));
}

/**
 * @param {readonly Day[]} days
 * @param {number} width
 */
function draw(days, width) {
  const most = scale(Math.max(1, ...days.map((day) => day.runCents + day.changeCents)));
  const plot = HEIGHT - TOP - BOTTOM;
  const step = (width - LEFT) / days.length;
  const y = (/** @type {number} */ cents) => TOP + plot - (cents / most) * plot;
  const lines = [0, most / 2, most].map((cents) => [
    svg("line", { x1: LEFT, x2: width, y1: y(cents), y2: y(cents), class: "chart-line" }),
    svg("text", { x: LEFT - 8, y: y(cents) + 4, "text-anchor": "end" }, dollars(cents)),
  ]);
  const bars = days.map((day, index) => {
    const x = LEFT + index * step + step * 0.15;
    const bar = { x, width: Math.max(1, step * 0.7) };
    const text = `${day.day}: ${counted(day.runs, "run")}, ${dollars(day.runCents + day.changeCents)}`;
    return svg("g", {}, svg("title", {}, text),
      svg("rect", { ...bar, y: y(day.runCents), height: TOP + plot - y(day.runCents), class: "bar-run" }),
      svg("rect", { ...bar, y: y(day.runCents + day.changeCents), height: y(day.runCents) - y(day.runCents + day.changeCents), class: "bar-change" }));
  });
  const every = Math.max(1, Math.ceil((days.length * LABEL_WIDTH) / (width - LEFT)));
  const labels = days.map((each, index) => {
    const after = days.length - 1 - index;
    if (after % every !== 0) return null;
    // The last date ends at the edge, where its middle would be cut off.
    const place = after === 0 ? { x: width, "text-anchor": "end" } : { x: LEFT + (index + 0.5) * step, "text-anchor": "middle" };
    return svg("text", { ...place, y: HEIGHT - 6 }, each.day.slice(5));
  });
  const total = days.reduce((sum, day) => sum + day.runCents + day.changeCents, 0);
  const name = `Spending by day in the last ${counted(days.length, "day")}: ${dollars(total)} in all`;
  return svg("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": name }, lines, bars, labels);
}

/**
 * Smallest of 1, 2, 5 × 10ⁿ that is not below a number of cents; even, so that its half is whole cents too.
 * @param {number} cents
 */
function scale(cents) {
  const power = 10 ** Math.floor(Math.log10(Math.max(2, cents)));
  const found = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= cents && each % 2 === 0);
  return found ?? 10 * power;
}
