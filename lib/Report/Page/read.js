// Reads the report into the form that the rest of the page expects, for any input.
// A missing value or one of the wrong type becomes null or an empty list. An item
// that cannot be shown without it (a round without a time) is omitted.

const isNumber = value => typeof value === "number" && isFinite(value);
const isText = value => typeof value === "string" && value !== "";
const isObject = value => value !== null && typeof value === "object" &&
  !Array.isArray(value);
const listOf = value => Array.isArray(value) ? value : [];
const objectOf = value => isObject(value) ? value : {};
const numberOf = value => isNumber(value) ? value : null;
const textOf = value => isText(value) ? value : "";

function readComparison(value) {
  const {median, low, high} = objectOf(value.ratio);
  return {ratio: isNumber(median) && median > 0
            ? {median, low: numberOf(low), high: numberOf(high)} : null,
          verdict: textOf(value.verdict) || "unknown"};
}

function readSeries(value) {
  if (!isObject(value))
    return null;
  const series = {rounds: listOf(value.rounds).filter(
    round => isNumber(objectOf(round).seconds))};
  for (const key of ["median_seconds", "min_seconds", "max_seconds",
                     "median_read_bytes", "median_major_faults"])
    series[key] = numberOf(value[key]);
  // Without a kept round there are no times; the report may have 0 instead.
  if (!series.rounds.some(round => round.kept !== false))
    series.median_seconds = series.min_seconds = series.max_seconds = null;
  series.toFirst = readComparison(value);
  series.toOff = isObject(value.to_off) ? readComparison(value.to_off) : null;
  return series;
}

function readLink(value) {
  if (!isObject(value))
    return null;
  const samples = objectOf(value.samples);
  return {
    seconds: numberOf(value.seconds),
    samples: {...samples, ms: listOf(samples.ms)},
    phases: listOf(value.phases).filter(phase => isObject(phase) &&
      isText(phase.name) && isNumber(phase.begin_ms) && isNumber(phase.end_ms)),
    stats: isObject(value.stats) ? value.stats : null,
    inputs: objectOf(value.inputs),
  };
}

function readVariant(value) {
  const environment = objectOf(value.environment);
  // In older reports, which have no "to_off", "off" also means the stock linker.
  const isOlder = ![value.cold, value.warm].some(one => "to_off" in objectOf(one));
  const name = isOlder && value.name === "off" && environment.HEADSTART !== "off"
    ? "stock" : textOf(value.name) || "unnamed";
  const observed = objectOf(value.observed);
  return {name, title: textOf(value.title) || name,
          command: listOf(value.command).map(textOf),
          // null: the variable is unset, even if the user has set it.
          environment: Object.entries(environment),
          cold: readSeries(value.cold), warm: readSeries(value.warm),
          observed: {cold: readLink(observed.cold), warm: readLink(observed.warm)}};
}

// Throws an error with a text for the reader if `text` is not a report.
function readReport(text) {
  const value = objectOf(JSON.parse(text));
  if (value.version !== 1)
    throw new Error(isNumber(value.version)
      ? `its version is ${value.version}, this page reads version 1`
      : "it has no version");
  const variants = listOf(value.variants).filter(isObject).map(readVariant);
  if (!variants.length)
    throw new Error("it has no variants");
  const inputs = objectOf(value.inputs), outputs = objectOf(value.outputs);
  return {
    variants,
    program: value.program, date: value.date, folder: value.folder,
    machine: objectOf(value.machine), linker: objectOf(value.linker),
    rounds: objectOf(value.rounds),
    command: listOf(value.command).map(textOf),
    notes: listOf(value.notes).filter(isText),
    outputs: {same: outputs.same, note: textOf(outputs.note),
              files: listOf(outputs.files).filter(file => isText(objectOf(file).name))},
    // A file's index in this list is also its index in the arrays of a link.
    inputs: {count: numberOf(inputs.count), bytes: numberOf(inputs.bytes),
             files: listOf(inputs.files).map((file, index) => ({index,
               path: textOf(objectOf(file).path), why: textOf(objectOf(file).why),
               bytes: Math.max(0, numberOf(objectOf(file).bytes) || 0), figures: {}}))},
  };
}
