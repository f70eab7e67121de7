/// Runs the server that a configuration describes, until it is told to stop.
public enum ServerRunner {
    public static func run(_ configuration: ServerConfiguration, _ logger: Logger) -> ExitCode {
        DescriptorLimit.raise(for: configuration)
        logger.error("the server is not yet part of this build")
        return .unavailable
    }
}
