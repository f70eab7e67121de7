import Foundation
import Relay
import Testing

@testable import Configuration

@Suite("The table of settings")
struct SettingsTableTests {
    @Test("has each name once, in small letters and dashes")
    func namesAreUnique() {
        #expect(Set(Settings.all.map(\.name)).count == Settings.all.count)
        for setting in Settings.all {
            #expect(
                setting.name.utf8.allSatisfy {
                    $0 == UInt8(ascii: "-") || Character(Unicode.Scalar($0)).isLetter
                        || Character(Unicode.Scalar($0)).isNumber
                })
            #expect(setting.name == setting.name.lowercased())
        }
    }

    @Test("has no name that Kubernetes gives to a variable of its own")
    func namesAreNotThoseOfKubernetes() {
        for setting in Settings.all {
            #expect(setting.environmentName != "ROOMS_PORT")
            #expect(!setting.environmentName.hasPrefix("ROOMS_PORT_"))
            #expect(!setting.environmentName.hasPrefix("ROOMS_SERVICE_"))
        }
    }

    @Test("says of each setting in one sentence what it is, and why in others")
    func everySettingIsExplained() {
        for setting in Settings.all {
            #expect(setting.help.hasSuffix("."), "\(setting.name)")
            #expect(setting.help.count <= 100, "\(setting.name)")
            #expect(setting.reason.hasSuffix("."), "\(setting.name)")
            #expect(!setting.reason.contains("\n"), "\(setting.name)")
        }
    }

    @Test("has defaults that hold every bound and relation")
    func defaultsAreGood() {
        #expect(report().texts == [])
        // Their defaults follow from the machine, or from other settings, or there is none.
        let derived: Set = [
            "threads", "cluster-node", "sessions-max", "sessions-pending-max", "sessions-per-address-max",
        ]
        for setting in Settings.all where setting.quantity != nil && !derived.contains(setting.name) {
            let value = RawValue(text: setting.defaultText, source: .builtIn)
            var configuration = ServerConfiguration()
            #expect(setting.assign([value], &configuration).isEmpty, "\(setting.name)")
        }
    }

    @Test("writes values as it reads them", arguments: Sample.all)
    func formatIsParsed(sample: Sample) {
        guard !sample.setting.isSecret else { return }
        for text in sample.good {
            var once = ServerConfiguration()
            let raw = RawSettings.pieces(text, of: sample.setting, from: .builtIn)
            #expect(sample.setting.assign(raw, &once).isEmpty)
            let shown = sample.setting.show(once)
            var twice = ServerConfiguration()
            let again = RawSettings.pieces(shown, of: sample.setting, from: .builtIn)
            #expect(sample.setting.assign(again, &twice).isEmpty)
            #expect(sample.setting.show(twice) == shown)
        }
    }

    @Test("has every field of the configuration in some row, but for what is derived")
    func everyFieldHasARow() {
        let fields = Mirror(reflecting: ServerConfiguration()).children.flatMap { field in
            field.value is FlowLimits
                ? Mirror(reflecting: field.value).children.compactMap(\.label) : [field.label].compactMap(\.self)
        }
        // Only files hold these.
        .filter { !["fcmKey", "apnsKey", "appleKey"].contains($0) }
        let rows = Set(Settings.all.map { $0.name.filter { $0 != "-" } })
        for field in fields { #expect(rows.contains(field.lowercased()), "\(field)") }
        #expect(fields.count == rows.count)
    }
}
