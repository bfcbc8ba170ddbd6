import Testing

@testable import KingfisherService

struct ImgproxyStepTests {
    private static let settings = Fixture.settings {
        $0.imgproxy?.watermark = "logo"
        $0.watermarks = ["logo"]
    }

    private func steps(_ options: String) throws -> [String] {
        try Fixture.imgproxy("\(options)/\(Fixture.source)", Self.settings).texts
    }

    @Test(arguments: [
        ("w:300", ["fit:300x0"]), ("width:300", ["fit:300x0"]), ("h:200", ["fit:0x200"]),
        ("height:200", ["fit:0x200"]), ("w:0/h:0", []), ("rs:fill:0:0", []),
        ("s:300:200", ["fit:300x200"]), ("size:300:200:1", ["fit:300x200,enlarge"]),
        ("s:300", ["fit:300x0"]), ("s::200", ["fit:0x200"]), ("w:300/s::200", ["fit:300x200"]),
        ("rs:fit:300:200", ["fit:300x200"]), ("resize:fill:300:200", ["cover:300x200"]),
        ("rs:fill:300:200:1", ["cover:300x200,enlarge"]),
        ("rs:fill-down:300:200", ["cover:300x200,ratio"]),
        ("rs:fill-down:300:200:1", ["cover:300x200,enlarge"]), ("rs:force:300:200", ["resize:300x200"]),
        ("rs:fill:300:0", ["fit:300x0"]), ("rs:fill-down:0:200", ["fit:0x200"]),
        ("rt:fill/w:300/h:200", ["cover:300x200"]), ("resizing_type:force/s:3:2", ["resize:3x2"]),
        ("rs::300:200", ["fit:300x200"]), ("rs:fill/rs::300:200", ["cover:300x200"]),
        ("w:300/el:1", ["fit:300x0,enlarge"]), ("w:300/enlarge:true", ["fit:300x0,enlarge"]),
        ("w:300/el:t/el:0", ["fit:300x0"]), ("w:300/w:400", ["fit:400x0"]),
        ("rs:fit:300:200:0:1", ["fit:300x200", "pad:300x200"]),
        ("rs:fit:300:200:0:1:no", ["fit:300x200", "pad:300x200,top"]),
        ("s:300:200:0:1:sowe", ["fit:300x200", "pad:300x200,bottomLeft"]),
        ("rs:fit:300:200:1:0", ["fit:300x200,enlarge"]),
        ("s:300:200/ex:1", ["fit:300x200", "pad:300x200"]),
        ("s:300:200/extend:1:ea:0:0", ["fit:300x200", "pad:300x200,right"]),
        ("w:300/ex:1", ["fit:300x0", "pad:300x1"]), ("ex:1", []), ("s:3:2/ex:1/ex:0", ["fit:3x2"]),
    ])
    func `A size becomes one step`(_ options: String, _ expected: [String]) throws {
        #expect(try steps(options) == expected)
    }

    @Test(arguments: [
        ("no", ",top"), ("so", ",bottom"), ("ea", ",right"), ("we", ",left"), ("noea", ",topRight"),
        ("nowe", ",topLeft"), ("soea", ",bottomRight"), ("sowe", ",bottomLeft"), ("ce", ""),
        ("no:0:0", ",top"), ("ce:0.0:0", ""), ("fp:0.3:0.6", ",0.3,0.6"), ("fp:1:.25", ",1,0.25"),
        ("fp:0.5:0", ",top"),
    ])
    func `The gravity is an edge, a corner or a point`(_ gravity: String, _ argument: String) throws {
        #expect(try steps("rs:fill:300:200/g:\(gravity)") == ["cover:300x200\(argument)"])
        #expect(try steps("rs:fill:300:200:1/gravity:\(gravity)") == ["cover:300x200\(argument),enlarge"])
        #expect(try steps("rs:fit:300:200/g:\(gravity)") == ["fit:300x200"])
    }

    @Test(arguments: [
        ("w:100/dpr:2", ["fit:200x0"]), ("s:101:51/dpr:1.5", ["fit:152x77"]), ("s:1:1/dpr:0.1", ["fit:1x1"]),
        ("rs:fill:100:50/z:2", ["cover:200x100"]), ("w:100/zoom:1.5/dpr:2", ["fit:300x0"]),
        ("rs:force:100:50/z:2:4", ["resize:200x200"]), ("w:100/z:2:2", ["fit:200x0"]),
        ("w:100/pd:10:5/dpr:1.5", ["fit:150x0", "margin:15,8,15,8"]),
        ("w:100/pd:10/z:2", ["fit:200x0", "margin:10,10,10,10"]),
        ("s:100:50/ex:1/dpr:2", ["fit:200x100", "pad:200x100"]), ("dpr:2", []), ("dpr:1/z:1", []),
        ("c:50:40/w:10/dpr:2", ["crop:50x40", "fit:20x0"]), ("pd:10/dpr:2", ["margin:20,20,20,20"]),
    ])
    func `Factors multiply sizes, dpr also padding`(_ options: String, _ expected: [String]) throws {
        #expect(try steps(options) == expected)
    }

    @Test(arguments: [
        ("c:50:40", ["crop:50x40"]), ("crop:50:40:no", ["crop:50x40,top"]),
        ("c:50:40:nowe:10:20", ["cut:10,20,50x40"]), ("c:50:40:nowe:0:20", ["cut:0,20,50x40"]),
        ("c:50:40:nowe", ["crop:50x40,topLeft"]), ("c:50:40/g:so", ["crop:50x40,bottom"]),
        ("c:50:40:ce/g:so", ["crop:50x40"]), ("c:50:40:fp:0:1", ["crop:50x40,bottomLeft"]),
        ("c:50:40/g:fp:0.5:0.5", ["crop:50x40"]), ("c:50.0:40", ["crop:50x40"]),
        ("c:50:40/rot:90", ["crop:40x50", "rotate:90"]),
        ("c:50:40:no/rot:90", ["crop:40x50,left", "rotate:90"]),
        ("c:50:40:nowe/rot:90", ["crop:40x50,bottomLeft", "rotate:90"]),
        ("c:50:40:no/rot:180", ["crop:50x40,bottom", "rotate:180"]),
        ("c:50:40:no/rot:270", ["crop:40x50,right", "rotate:270"]),
        ("c:50:40:nowe/fl:1", ["crop:50x40,topRight", "flip:horizontal"]),
        ("c:50:40:nowe/fl:0:1", ["crop:50x40,bottomLeft", "flip:vertical"]),
        ("c:50:40:nowe/rot:90/fl:1:0", ["crop:40x50,topLeft", "rotate:90", "flip:horizontal"]),
    ])
    func `A crop is of the source, but its gravity of the turned image`(
        _ options: String, _ expected: [String]
    ) throws {
        #expect(try steps(options) == expected)
    }

    @Test(arguments: [
        ("t:10", ["trim:0.039216"]), ("trim:0", ["trim:0"]), ("t:255", ["trim:1"]),
        ("t:51::0:0", ["trim:0.2"]),
        ("rot:90", ["rotate:90"]), ("rotate:180", ["rotate:180"]), ("rot:270", ["rotate:270"]), ("rot:0", []),
        ("rot:360", []), ("rot:450", ["rotate:90"]), ("fl:1", ["flip:horizontal"]),
        ("fl:0:1", ["flip:vertical"]),
        ("flip:1:1", ["flip:horizontal", "flip:vertical"]), ("fl:0", []), ("fl:0:0", []),
        ("bl:2", ["blur:2"]), ("blur:5.5", ["blur:5.5"]), ("bl:0", []), ("sh:0.7", ["sharpen:0.7"]),
        ("sharpen:2", ["sharpen:2"]), ("sh:0", []), ("pix:12", ["pixelate:12"]), ("pixelate:1", []),
        ("pix:0", []), ("bg:255:0:128", ["blend:normal,#ff0080"]), ("background:fff", ["blend:normal,#fff"]),
        ("bg:FFCC00", ["blend:normal,#ffcc00"]), ("bg:fff/bg:", []), ("bg:0:0:9", ["blend:normal,#000009"]),
        ("pd:10", ["margin:10,10,10,10"]), ("padding:10:20", ["margin:10,20,10,20"]),
        ("pd:1:2:3", ["margin:1,2,3,2"]), ("pd:1:2:3:4", ["margin:1,2,3,4"]), ("pd:0", []),
        ("pd::5", ["margin:0,5,0,5"]), ("wm:0.5", ["watermark:logo,center,0.5"]),
        ("watermark:1:soea", ["watermark:logo,bottomRight,1"]), ("wm:0", []),
        ("wm:0.25:no:0:0:0", ["watermark:logo,top,0.25"]), ("br:51", ["color:0.2,1,1"]),
        ("brightness:-255", ["color:-1,1,1"]), ("co:1.2", ["color:0,1.2,1"]), ("contrast:1", []),
        ("sa:0", ["color:0,1,0"]), ("saturation:1.5", ["color:0,1,1.5"]),
        ("a:51:1.2:0.8", ["color:0.2,1.2,0.8"]),
        ("adjust::1.2", ["color:0,1.2,1"]), ("br:0", []),
    ])
    func `An effect becomes one step`(_ options: String, _ expected: [String]) throws {
        #expect(try steps(options) == expected)
    }

    @Test(arguments: ["sm:1", "kcr:0", "scp:1", "ar:1", "ph:0", "eth:0", "da:0", "att:0", "q:0", "g:no"])
    func `An option without effect leaves all pixels and options`(_ option: String) throws {
        let request = try Fixture.imgproxy("\(option)/\(Fixture.source)", Self.settings)
        #expect(request.texts == [])
        #expect(request.options == ServiceOptions())
    }

    @Test func `Steps have the order of the pipeline, not of the URL`() throws {
        let options = [
            "wm:1", "bg:fff", "pd:1", "ex:1", "pix:3", "sh:1", "bl:2", "br:51", "s:30:20", "fl:1", "rot:180",
            "c:50:40",
            "t:0",
        ]
        let expected = [
            "trim:0", "crop:50x40", "rotate:180", "flip:horizontal", "fit:30x20", "color:0.2,1,1", "blur:2",
            "sharpen:1", "pixelate:3", "pad:30x20", "margin:1,1,1,1", "blend:normal,#fff",
            "watermark:logo,center,1",
        ]
        #expect(try steps(options.joined(separator: "/")) == expected)
        #expect(try steps(options.reversed().joined(separator: "/")) == expected)
    }

    @Test func `The threshold of a trim is exact in the step`() throws {
        for threshold in 0...255 {
            let step = try #require(try steps("t:\(threshold)").first)
            let tolerance = try #require(Double(step.dropFirst("trim:".count)))
            #expect(Int(tolerance * 255) == threshold)
        }
    }
}
