/// Puts a configuration together. What is said nearer to the start of the process wins:
/// option, then environment variable, then file, then default.
package struct ConfigurationReader {
    let arguments: [String]
    let environment: [String: String]
    var readFile: (String) -> Result<[UInt8], FileFault> = { FileContent.read($0, bytesMax: fileBytesMax) }
    var host = HostChecks()

    /// A configuration has some forty lines; what is larger is another file.
    static let fileBytesMax = 1 << 20

    package enum Outcome {
        case help
        case report(ConfigurationReport)
    }

    /// Every source is read and checked to its end, so that all faults are told at once; also those of a value that
    /// another source replaces.
    package func read() -> Outcome {
        let options = RawSettings.options(arguments)
        if options.asksForHelp { return .help }
        var report = ConfigurationReport()
        let isComplete = takeFile(options.file ?? fileOfEnvironment, &report)
        report.take(RawSettings.environment(environment))
        report.take(options.settings)
        // Without the file, what is missing here may well stand there.
        guard isComplete else { return .report(report) }
        Relations.check(&report)
        host.check(&report)
        return .report(report)
    }

    private func takeFile(_ file: RawValue?, _ report: inout ConfigurationReport) -> Bool {
        guard let file else { return true }
        switch readFile(file.text) {
        case .success(let bytes):
            report.take(RawSettings.file(bytes, path: file.text))
            return true
        case .failure(let fault):
            let right = "Right is a configuration file that this user may read"
            let problem = "\"\(RawSettings.shown(file.text))\" \(fault.problem)"
            report.faults.append(
                ConfigurationFault([Settings.fileOption], from: file.source, problem, right: right))
            return false
        }
    }

    private var fileOfEnvironment: RawValue? {
        let name = Settings.fileEnvironmentName
        guard let path = environment[name], !path.isEmpty else { return nil }
        return RawValue(text: path, source: .environment(name: name))
    }
}

extension ConfigurationReader {
    package init(arguments: [String], environment: [String: String]) {
        self.init(arguments: arguments, environment: environment, host: HostChecks())
    }
}
