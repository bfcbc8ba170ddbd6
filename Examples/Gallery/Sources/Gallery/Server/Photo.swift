import Kingfisher
import KingfisherWebP

/// A bundled photograph; `Fixtures/ORIGINS.md` of KingfisherTestSupport says where each is from.
struct Photo: Hashable, Sendable {
    /// The name of its file among the fixtures.
    let fixture: String
    let title: String
    /// The format in which the server sends it; that of the fixture where nil.
    var format: ImageFormat?

    static let cat = Photo(fixture: "chelsea.jpg", title: "Chelsea the cat")
    static let astronaut = Photo(fixture: "astronaut.jpg", title: "Astronaut")
    static let rocket = Photo(fixture: "rocket.jpg", title: "Rocket at night")
    static let coffee = Photo(fixture: "coffee.jpg", title: "Coffee", format: .webP)
    static let stars = Photo(fixture: "hubble.jpg", title: "Deep field", format: .webP)
    static let camera = Photo(fixture: "camera.jpg", title: "Cameraman")
    static let retina = Photo(fixture: "retina.jpg", title: "Retina", format: .webP)
    static let launchPad = Photo(fixture: "launch-pad.jpg", title: "Launch pad")
    static let badge = Photo(fixture: "badge.png", title: "Badge", format: .webP)
    static let brick = Photo(fixture: "brick.jpg", title: "Bricks")
    static let eyes = Photo(fixture: "chelsea-eyes.jpg", title: "Chelsea’s eyes")
    static let portrait = Photo(fixture: "astronaut-portrait.jpg", title: "Portrait")
    static let grass = Photo(fixture: "grass.jpg", title: "Grass")

    static let waving = Photo(fixture: "cat.gif", title: "Animated cat")
    static let wavingPNG = Photo(fixture: "cat.gif", title: "Animated cat", format: .APNG)
    static let wavingWebP = Photo(fixture: "cat.gif", title: "Animated cat", format: .webP)

    /// The stills, in an order in which neighbours differ.
    static let all = [
        cat, rocket, coffee, astronaut, stars, brick, eyes, camera, launchPad, retina, portrait, grass, badge,
    ]

    static let animations = [waving, wavingPNG, wavingWebP]
}

extension Photo {
    /// The name by which the server knows it.
    var file: String {
        guard let format else { return fixture }
        return fixture.prefix { $0 != "." } + "." + format.name.lowercased()
    }

    /// The photograph that the server sends as `file`.
    static func named(_ file: String) -> Photo? {
        (all + animations).first { $0.file == file }
    }
}
