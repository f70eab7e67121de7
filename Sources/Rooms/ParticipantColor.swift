/// The colours in which people are shown, told apart on a light and on a dark ground.
package enum ParticipantColor {
    /// That of somebody's place in a room; places beyond the last colour begin again with the first.
    package static func of(_ place: Int) -> String { colors[place % colors.count] }

    private static let colors = [
        "#E6194B", "#3CB44B", "#4363D8", "#F58231", "#911EB4", "#008080", "#9A6324", "#808000", "#F032E6", "#000075",
        "#AA6E28", "#2F9E44",
    ]
}
