import Glibc
import Logging

extension Logger {
    /// The logger that a configuration asks for.
    package init(_ configuration: ServerConfiguration, environment: [String: String]) {
        let format = configuration.logFormat.resolved(
            isTerminal: isatty(STDERR_FILENO) == 1, environment: environment)
        self.init(level: configuration.logLevel, format: format)
    }
}

extension Duration: LogValue {
    /// Written as in the configuration: `500ms`, `25s`.
    package var logScalar: LogScalar { .string(DurationText.format(self)) }
}

extension Secret: LogValue {
    package var logScalar: LogScalar { .string(description) }
}
