// As much of FileReader as the browser's Socket.IO client uses: it encodes binary data for long-polling.

"use strict";

module.exports = class FileReader {
  result = null;
  onload = null;

  async readAsDataURL(blob) {
    const bytes = Buffer.from(await blob.arrayBuffer());
    this.result = `data:application/octet-stream;base64,${bytes.toString("base64")}`;
    this.onload?.();
  }
};
