/// How the time between two ticks is chosen.
package enum TickSetting: Sendable, Equatable {
    /// By the load, within bounds.
    case auto
    case fixed(Duration)
}

extension ValueType where Value == TickSetting {
    static var tick: ValueType {
        let fixed = ValueType<Duration>.duration(.milliseconds(1) ... .seconds(1))
        return ValueType(
            "auto|DURATION", bounds: fixed.bounds,
            format: { setting in
                switch setting {
                case .auto: "auto"
                case .fixed(let interval): fixed.format(interval)
                }
            },
            parse: { text in
                text == "auto" ? .success(.auto) : fixed.parse(text).map(TickSetting.fixed)
            })
    }
}
