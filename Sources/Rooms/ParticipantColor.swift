/// The colours of participants. They can be told apart on light and dark backgrounds.
package enum ParticipantColor {
    /// The colour of a slot. Slots past the last colour begin again with the first.
    package static func of(_ place: Int) -> String { colors[place % colors.count] }

    private static let colors = [
        "#E6194B", "#3CB44B", "#4363D8", "#F58231", "#911EB4", "#008080", "#9A6324", "#808000", "#F032E6", "#000075",
        "#AA6E28", "#2F9E44",
    ]
}
