/// What the library of a demo has.
enum DemoLibrary {
    static let json = """
        {"stories": [
        {"author": "alice@muejam.dev", "title": "The Midnight Garden", "published": true,
            "summary": "Behind the last house of the street a gate opens at midnight, and only then.",
            "chapters": [
                {"title": "The gate", "published": true,
                    "content": "Mara had counted the houses of the street a hundred times. Tonight there was one more."},
                {"title": "The gardener", "published": true,
                    "content": "He was pruning a rose that had not been there a minute ago.\\n\\n\\"You are late,\\" he said."}],
            "whispers": [
                {"author": "ben@muejam.dev", "content": "Great story!"},
                {"author": "alice@muejam.dev", "content": "Thank you. The third chapter is nearly done."}]},
        {"author": "ben@muejam.dev", "title": "Salt and Signal", "published": true,
            "summary": "A lighthouse keeper answers a call that was sent forty years ago.",
            "chapters": [
                {"title": "Static", "published": true,
                    "content": "The radio had been silent since spring. In October it said his name."}],
            "whispers": [{"author": "alice@muejam.dev", "content": "I read this twice."}]}
        ]}
        """
}
