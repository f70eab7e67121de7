// Debian does not carry chai-string. The suites use one word of it.
module.exports = (chai) => {
  chai.Assertion.addMethod("startsWith", function (prefix) {
    const text = this._obj;
    this.assert(
      typeof text === "string" && text.startsWith(prefix),
      `expected #{this} to start with '${prefix}'`,
      `expected #{this} not to start with '${prefix}'`,
    );
  });
};
