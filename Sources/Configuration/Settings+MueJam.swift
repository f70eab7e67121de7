extension Settings {
    static let muejam: [Setting] = [
        Setting(
            "muejam-web-url", .accounts, optional: \.muejamWebURL, .publicURL,
            "The beginning of the addresses of stories on the web, by default the server's own.",
            "Phones open such addresses in the application if the files below /.well-known of that host say so."),
        Setting(
            "muejam-ios-apps", .accounts, list: \.muejamIOSApps, .appleApp, none: "none",
            "Applications for iOS that open the server's addresses; may be repeated.",
            "The id of a team with that of a bundle. They stand in /.well-known/apple-app-site-association, which iOS reads."
        ),
        Setting(
            "muejam-android-apps", .accounts, list: \.muejamAndroidApps, .androidApp, none: "none",
            "Applications for Android that open the server's addresses; may be repeated.",
            "A package, and the SHA-256 of its certificate. They stand in /.well-known/assetlinks.json, which Android reads."
        ),
        Setting(
            "muejam-config", .accounts, optional: \.muejamConfig, .path("FILE"),
            "JSON file with what the MueJam applications are told before they start.",
            "docs/apps/muejam.md describes it. It is read again when it has changed. While it is wrong, what it said before holds, and the log says so."
        ),
    ]
}
