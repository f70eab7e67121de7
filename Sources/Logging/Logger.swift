/// Writes structured lines: a level, a message that is always the same for the same event, and what belongs to it as
/// keys and values.
///
/// A logger is a value that any thread may hold and use. Nothing of a line is built when its level is off.
/// At `info` and above there is never a line per message of a client.
package struct Logger: Sendable {
    package typealias Metadata = KeyValuePairs<String, any LogValue>

    package let level: LogLevel
    private let format: LogFormat.Resolved
    private let output: LogOutput
    private let clock: @Sendable () -> Timestamp
    private var context: [(key: String, value: any LogValue)] = []

    package init(
        level: LogLevel, format: LogFormat.Resolved, output: LogOutput = .standardError,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.level = level
        self.format = format
        self.output = output
        self.clock = clock
    }

    /// A logger that adds these keys and values to every line.
    package func with(_ metadata: Metadata) -> Logger {
        var logger = self
        logger.context += metadata.map { ($0.key, $0.value) }
        return logger
    }

    package func isOn(_ level: LogLevel) -> Bool { level >= self.level }

    package func log(
        _ level: LogLevel, _ message: @autoclosure () -> String, _ metadata: @autoclosure () -> Metadata = [:]
    ) {
        guard isOn(level) else { return }
        let line = LogLine(
            time: clock(), level: level, message: message(),
            metadata: context + metadata().map { ($0.key, $0.value) })
        output.write(line.bytes(format))
    }

    package func trace(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.trace, message(), metadata())
    }

    package func debug(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.debug, message(), metadata())
    }

    package func info(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.info, message(), metadata())
    }

    package func warning(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.warning, message(), metadata())
    }

    package func error(_ message: @autoclosure () -> String, _ metadata: @autoclosure () -> Metadata = [:]) {
        log(.error, message(), metadata())
    }
}
