/// A bundled photograph; `Fixtures/ORIGINS.md` of KingfisherTestSupport says where each is from.
struct Photo: Hashable, Sendable {
    /// The name of its file.
    let file: String
    let title: String

    static let cat = Photo(file: "chelsea.jpg", title: "Chelsea the cat")
    static let astronaut = Photo(file: "astronaut.jpg", title: "Astronaut")
    static let rocket = Photo(file: "rocket.jpg", title: "Rocket at night")
    static let coffee = Photo(file: "coffee.jpg", title: "Coffee")
    static let stars = Photo(file: "hubble.jpg", title: "Deep field")
    static let camera = Photo(file: "camera.jpg", title: "Cameraman")
    static let retina = Photo(file: "retina.jpg", title: "Retina")
    static let launchPad = Photo(file: "launch-pad.jpg", title: "Launch pad")
    static let badge = Photo(file: "badge.png", title: "Badge")
    static let brick = Photo(file: "brick.jpg", title: "Bricks")
    static let eyes = Photo(file: "chelsea-eyes.jpg", title: "Chelsea’s eyes")
    static let portrait = Photo(file: "astronaut-portrait.jpg", title: "Portrait")
    static let grass = Photo(file: "grass.jpg", title: "Grass")
    static let waving = Photo(file: "cat.gif", title: "Animated cat")

    /// The stills, in an order in which neighbours differ.
    static let all = [
        cat, rocket, coffee, astronaut, stars, brick, eyes, camera, launchPad, retina, portrait, grass, badge,
    ]
}
