// The search of these pages runs in a worker, and browsers start none for a page that is opened as a file. There, a hidden
// frame of the same page does its work. The theme's script looks for the name IFrameWorker.
class IFrameWorker extends EventTarget {
  constructor(address) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    const inside = (this.inside = frame.contentWindow);
    inside.document.open();
    inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    inside.importScripts = (...scripts) =>
      scripts.reduce((before, script) => before.then(() => load(inside.document, script)), Promise.resolve());
    inside.document.write("<!DOCTYPE html><html><body></body></html>");
    inside.document.close();
    this.ready = load(inside.document, address);
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
  }
}

function load(where, address) {
  return new Promise((done, failed) => {
    const script = where.createElement("script");
    script.onload = done;
    script.onerror = failed;
    script.src = address;
    where.body.append(script);
  });
}

window.IFrameWorker = IFrameWorker;
if (location.protocol === "file:") window.Worker = IFrameWorker;
