import _ from "lodash";

export function main() {
  const blob = new Blob(["x"]);
  const deep = { date: new Date(0), map: new Map([[1, { two: 2 }]]), bytes: new Uint8Array([1, 2]) };
  const copy = _.cloneDeep(deep);
  return [
    _.chunk([1, 2, 3], 2), _.merge({ a: { b: 1 } }, { a: { c: 2 } }), _.camelCase("foo bar"), _.deburr("déjà"), copy, copy.date.getTime(), copy.map.get(1),
    _.isEqual(copy, deep), _.isPlainObject(blob), _.isEmpty(new ReadableStream()), _.keys(new ReadableStream()), _.groupBy([1.2, 1.8, 2.1], Math.floor), _.get(deep, "map.size"),
    _.sortBy([{ n: 2 }, { n: 1 }], "n"), _.words("one two-three"), _.now() > 0, _.uniqBy([1, 1.5, 2], Math.floor),
  ];
}
