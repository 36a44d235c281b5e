"""Hooks of the documentation's site: its search works from the folder too, where a page may neither fetch nor start workers."""
import json
import os

# a worker made of a frame: the theme's search script runs in it, and messages go to and fro
SHIM = """
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.appendChild(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.tell(data);
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(url, document.baseURI).href;
      this.ready = new Promise((done) => (script.onload = done));
      frame.contentDocument.documentElement.appendChild(script);
    }
    tell(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }
    terminate() {}
  };
"""


def on_post_page(output, page, config):
    root = os.path.relpath(".", os.path.dirname(page.url) or ".")
    index = f"{root}/search/search_index.js"
    return output.replace("<head>", f'<head><script src="{index}"></script><script>{SHIM}</script>', 1)


def on_post_build(config):
    folder = os.path.join(config["site_dir"], "search")
    with open(os.path.join(folder, "search_index.json"), encoding="utf-8") as source:
        index = json.load(source)
    with open(os.path.join(folder, "search_index.js"), "w", encoding="utf-8") as target:
        target.write("var __search = {index: Promise.resolve(" + json.dumps(index).replace("<", "\\u003c") + ")};\n")
