import Kingfisher
import KingfisherWebP

/// A bundled photo; `Fixtures/ORIGINS.md` of KingfisherTestSupport names the sources.
struct Photo: Hashable, Sendable {
    let fixture: String
    let title: String
    /// The format that the server sends; nil for that of the fixture.
    var format: ImageFormat?

    static let cat = Photo(fixture: "chelsea.jpg", title: "Chelsea the Cat")
    static let astronaut = Photo(fixture: "astronaut.jpg", title: "Astronaut")
    static let rocket = Photo(fixture: "rocket.jpg", title: "Rocket at Night")
    static let coffee = Photo(fixture: "coffee.jpg", title: "Coffee", format: .webP)
    static let stars = Photo(fixture: "hubble.jpg", title: "Deep Field", format: .webP)
    static let camera = Photo(fixture: "camera.jpg", title: "Cameraman")
    static let retina = Photo(fixture: "retina.jpg", title: "Retina", format: .webP)
    static let launchPad = Photo(fixture: "launch-pad.jpg", title: "Launch Pad")
    static let badge = Photo(fixture: "badge.png", title: "Badge", format: .webP)
    static let brick = Photo(fixture: "brick.jpg", title: "Bricks")
    static let eyes = Photo(fixture: "chelsea-eyes.jpg", title: "Chelsea’s Eyes")
    static let portrait = Photo(fixture: "astronaut-portrait.jpg", title: "Portrait")
    static let grass = Photo(fixture: "grass.jpg", title: "Grass")

    static let waving = Photo(fixture: "cat.gif", title: "Animated Cat")
    static let wavingPNG = Photo(fixture: "cat.gif", title: "Animated Cat", format: .APNG)
    static let wavingWebP = Photo(fixture: "cat.gif", title: "Animated Cat", format: .webP)

    /// The still photos, in an order in which neighbours differ.
    static let all = [
        cat, rocket, coffee, astronaut, stars, brick, eyes, camera, launchPad, retina, portrait, grass, badge,
    ]

    static let animations = [waving, wavingPNG, wavingWebP]
}

extension Photo {
    var file: String {
        guard let format else { return fixture }
        return fixture.prefix { $0 != "." } + "." + format.name.lowercased()
    }

    /// One photo in each format that stills can be written in.
    static var formats: [Photo] {
        ImageCodecs.formats.filter {
            $0 != .APNG && ImageCodecs.codec(for: $0)?.capabilities.contains(.encodesStills) == true
        }.map { Photo(fixture: "astronaut-portrait.jpg", title: $0.name, format: $0) }
    }

    static func named(_ file: String) -> Photo? {
        (all + animations + formats).first { $0.file == file }
    }
}
