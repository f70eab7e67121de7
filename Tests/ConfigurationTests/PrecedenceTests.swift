import TestSupport
import Testing

@testable import Configuration

@Suite("The place that is nearer to the process wins")
struct PrecedenceTests {
    @Test("for each setting: option, environment, file, default", arguments: Sample.all)
    func precedence(sample: Sample) {
        let setting = sample.setting
        let name = setting.name
        let (option, variable, line) = (sample.good[0], sample.good[1], sample.good[2])
        let environment = [setting.environmentName: variable]
        let file = "\n\(name) = \(line)\n"
        let expected = [option, variable, line].map { text -> String in
            var configuration = ServerConfiguration()
            _ = setting.assign(RawSettings.pieces(text, of: setting, from: .builtIn), &configuration)
            return setting.show(configuration)
        }

        let all = report(["--\(name)", option], environment: environment, file: file)
        #expect(all.value(name) == expected[0])
        #expect(all.source(of: name) == .option(name: name))

        let two = report(environment: environment, file: file)
        #expect(two.value(name) == expected[1])
        #expect(two.source(of: name) == .environment(name: setting.environmentName))

        let one = report(file: file)
        #expect(one.value(name) == expected[2])
        #expect(one.source(of: name) == .file(path: "test.conf", line: 2))

        let none = report()
        #expect(none.source(of: name) == .builtIn)
        #expect(none.value(name) == setting.show(ServerConfiguration()))
    }

    @Test("and a list is replaced whole")
    func listsAreReplaced() {
        let found = report(["--origins", "https://c.example"], file: "origins = https://a.example, https://b.example")
        #expect(found.value("origins") == "https://c.example")
    }

    @Test("and an option may be repeated for a list, and only for a list")
    func repetition() {
        let found = report(["--listen", "127.0.0.1:1", "--listen=127.0.0.1:2,127.0.0.1:3"])
        #expect(found.value("listen") == "127.0.0.1:1, 127.0.0.1:2, 127.0.0.1:3")
        let twice = report(["--threads", "1", "--threads", "2"])
        #expect(twice.texts == ["threads (option --threads): the option is there twice. Give it once."])
    }

    @Test("but a variable that is empty says nothing")
    func emptyVariables() {
        let found = report(environment: ["ROOMS_THREADS": "", "ROOMS_CONFIG": ""], file: "threads = 7")
        #expect(found.value("threads") == "7")
        #expect(found.isGood)
    }

    @Test("and the option for the file wins over the variable for it")
    func fileOption() {
        let read = Collected()
        let reader = ConfigurationReader(
            arguments: ["--config=a"], environment: ["ROOMS_CONFIG": "b"],
            readFile: {
                read.append($0)
                return .success([])
            })
        _ = reader.read()
        #expect(read.all == ["a"])
    }

    @Test("yet a wrong value is refused also where another replaces it")
    func replacedValuesAreChecked() {
        let found = report(["--threads", "1"], environment: ["ROOMS_THREADS": "x"], file: "threads = y")
        #expect(found.faults.map(\.source) == [.file(path: "test.conf", line: 1), .environment(name: "ROOMS_THREADS")])
    }
}

@Suite("Options")
struct OptionTests {
    @Test(
        "of flags stand alone, take a word, or begin with no-",
        arguments: [
            (["--eio3"], "on"), (["--eio3", "off"], "off"), (["--eio3=off"], "off"), (["--no-eio3"], "off"),
            (["--eio3", "--threads", "2"], "on"), (["--eio3", "yes"], "on"),
        ])
    func flags(arguments: [String], value: String) {
        let found = report(arguments)
        #expect(found.isGood)
        #expect(found.value("eio3") == value)
    }

    @Test(
        "that make no sense are faults of usage",
        arguments: [
            (["--threads"], "threads (option --threads): the value is missing. Right is --threads N."),
            (["--threads", "--eio3"], "threads (option --threads): the value is missing. Right is --threads N."),
            (["--config"], "config (option --config): the value is missing. Right is --config FILE."),
            (["--treads", "2"], "treads (option --treads): there is no such setting. Did you mean threads?"),
            (["--no-threads"], "no-threads (option --no-threads): there is no such setting. Did you mean threads?"),
            (["--no-eio3=on"], "no-eio3 (option --no-eio3): there is no such setting. Did you mean eio3?"),
            (["extra"], "\"extra\": the argument belongs to no option. Settings are written --name VALUE."),
            (["-t"], "\"-t\": the argument belongs to no option. Settings are written --name VALUE."),
            (["--"], "\"--\": the argument belongs to no option. Settings are written --name VALUE."),
        ])
    func usage(arguments: [String], message: String) {
        let found = report(arguments)
        #expect(found.texts.first == message)
        #expect(found.faultKind == .usage)
    }

    @Test("with faults are told all at once, with those of the environment and the file")
    func allFaultsAreTold() {
        let found = report(
            ["--threads", "0", "--path=x"], environment: ["ROOMS_LOG_LEVEL": "loud"],
            file: "nonsense = 1\nlisten = 1, 2\nping-timeout = 0s")
        #expect(
            found.faults.map { $0.settings.first } == [
                "nonsense", "listen", "listen", "ping-timeout", "log-level", "threads", "path",
            ])
        #expect(found.faultKind == .configuration)
    }

    @Test("that are not known do not show their value")
    func unknownOptionsHideValues() {
        #expect(!report(["--auth-secrt=hunter2"]).texts.joined().contains("hunter2"))
    }

    @Test("and variables that are not known are warned of, except those of Kubernetes")
    func unknownVariables() {
        let found = report(environment: [
            "ROOMS_TREADS": "3", "ROOMS_SERVICE_HOST": "10.0.0.1", "ROOMS_PORT": "tcp://10.0.0.1:80",
            "ROOMS_PORT_80_TCP": "x", "OTHER": "x",
        ])
        #expect(found.isGood)
        #expect(
            found.warnings.map(\.description) == [
                "environment variable ROOMS_TREADS: there is no such setting. Did you mean ROOMS_THREADS?"
            ])
    }
}

@Suite("The nearest name")
struct NearestNameTests {
    @Test(
        "is found for what people mistype",
        arguments: [
            ("lissten", "listen"), ("ping_interval", "ping-interval"), ("PING-INTERVAL", "ping-interval"),
            ("ping-intervall", "ping-interval"), ("pnig-timeout", "ping-timeout"), ("tls-crt", "tls-cert"),
            ("trusted-proxy", "trusted-proxies"), ("max-paylod", "max-payload"), ("eio", "eio3"),
            ("jwks-url", "auth-jwks-url"), ("origin", "origins"), ("secret-file", "auth-secret-file"),
        ])
    func nearest(typed: String, meant: String) {
        #expect(NearestName.of(typed, in: Settings.all.map(\.name)) == meant)
    }

    @Test("is not invented for what is far from all", arguments: ["", "x", "database", "qqqqqqqq", "timeout"])
    func none(typed: String) {
        #expect(NearestName.of(typed, in: Settings.all.map(\.name)) == nil)
    }
}
