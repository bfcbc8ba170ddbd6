import KingfisherImage
import Testing

@testable import KingfisherService

struct ImgproxyPresetTests {
    private static func settings(onlyPresets: Bool = false, isDefault: Bool = true) -> ServiceSettings {
        Fixture.settings {
            $0.imgproxy?.presets = [
                "card": "rs:fill:300:200/q:70", "small": "w:100", "outer": "q:60/pr:small",
                "loop": "h:50/pr:loop", "bad": "w:100/plain", "twice": "pr:wide:wide:wide:wide",
                "wide": "pr:tall:tall:tall:tall:tall:tall:tall:tall:tall:tall",
                "tall": (0..<100).map { "w:\($0)" }.joined(separator: "/"),
            ]
            if isDefault { $0.imgproxy?.presets["default"] = "q:50/el:1" }
            $0.imgproxy?.usesOnlyPresets = onlyPresets
        }
    }

    @Test(arguments: [
        ("w:100", ["fit:100x0,enlarge"], 50), ("q:90/el:0/w:100", ["fit:100x0"], 90),
        ("pr:card", ["cover:300x200,enlarge"], 70), ("preset:card:small", ["cover:100x200,enlarge"], 70),
        ("q:90/pr:card", ["cover:300x200,enlarge"], 70), ("pr:card/q:90", ["cover:300x200,enlarge"], 90),
        ("pr:outer", ["fit:100x0,enlarge"], 60), ("pr:loop", ["fit:0x50,enlarge"], 50), ("q:40", [], 40),
    ])
    func `The default preset is first, others at their place`(
        _ options: String, _ steps: [String], _ quality: Int
    ) throws {
        let request = try Fixture.imgproxy("\(options)/\(Fixture.source)", Self.settings())
        #expect(request.texts == steps)
        #expect(request.options.quality == quality)
    }

    @Test(arguments: [
        ("small/plain/https://e.com/a.jpg@png", ["fit:100x0"]),
        ("card:small/plain/https://e.com/a.jpg@png", ["cover:100x200"]),
        ("small/aHR0cHM6Ly9lLmNvbS9hLmpwZw.png", ["fit:100x0"]),
    ])
    func `URLs may have only presets`(_ path: String, _ steps: [String]) throws {
        let request = try Fixture.imgproxy(path, Self.settings(onlyPresets: true, isDefault: false))
        #expect(request.texts == steps)
        #expect(request.options.format == .exactly(.PNG))
    }

    @Test(arguments: [
        ("pr:none", false, "preset"), ("pr:card:none", false, "none"), ("pr:bad", false, "plain"),
        ("pr:twice", false, "1000"), ("w:100", true, "preset"), ("card:none", true, "none"),
        ("pr:", false, "pr"),
    ])
    func `An unknown or malformed preset is 400`(_ options: String, _ onlyPresets: Bool, _ text: String) {
        let error = Fixture.error { () throws(ServiceError) in
            try Fixture.imgproxy("\(options)/\(Fixture.source)", Self.settings(onlyPresets: onlyPresets))
        }
        #expect(error?.status == 400)
        #expect(error?.message.contains(text) == true)
    }
}
