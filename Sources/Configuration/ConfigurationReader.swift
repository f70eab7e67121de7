/// Puts a configuration together from its places. An option overrides an environment variable, a variable the file, and
/// the file the default.
package struct ConfigurationReader {
    let arguments: [String]
    let environment: [String: String]
    var readFile: (String) -> Result<[UInt8], FileFault> = { FileContent.read($0, bytesMax: fileBytesMax) }
    var host = HostChecks()

    /// A configuration has some forty lines. A larger file is not a configuration.
    static let fileBytesMax = 1 << 20

    package enum Outcome {
        case help
        case report(ConfigurationReport)
    }

    /// Reads and checks every source completely, so that all faults are reported together. These include faults of a
    /// value that another source replaces.
    package func read() -> Outcome {
        let options = RawSettings.options(arguments)
        if options.asksForHelp { return .help }
        var report = ConfigurationReport()
        let isComplete = takeFile(options.file ?? fileOfEnvironment, &report)
        report.take(RawSettings.environment(environment))
        report.take(options.settings)
        // A value that seems to be missing may stand in the file that could not be read.
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
