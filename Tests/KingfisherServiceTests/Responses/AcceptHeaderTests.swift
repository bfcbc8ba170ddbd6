import Testing

@testable import KingfisherService

struct AcceptHeaderTests {
    @Test(
        arguments: [
            "image/webp", "IMAGE/WebP", " image/webp\t", "image/avif,image/webp", "image/avif , image/webp",
            ",, ,image/webp,", "image/webp;q=1", "image/webp;q=1.", "image/webp;q=1.000",
            "image/webp; q=0.001",
            "image/webp ;\t Q=0.5 ", "image/webp;;q=0.5;", "image/webp;level=1;q=0.3",
            "image/webp;q=0.3;level=1",
            "image/webp;v=\"a,b;q=0\"", "image/webp;v=\"\\\"\";q=1", "image/webp;flag",
            "image/webp;q=0, image/webp;q=0.1", "text/\"x, image/webp\", image/webp",
        ])
    func `A type with a weight above 0 is named`(_ value: String) {
        #expect(AcceptHeader([value]).names("image/webp"))
    }

    @Test(
        arguments: [
            "", ",", "*/*", "image/*", "*/webp", "image/webp2", "ximage/webp", "image/web", "image / webp",
            "image/webp/x", "image", "/webp", "image/", "image/webp;q=0", "image/webp;q=0.",
            "image/webp;q=0.000",
            "image/webp; Q=0", "image/webp;q=", "image/webp;q", "image/webp;q=.5", "image/webp;q=2",
            "image/webp;q=1.001", "image/webp;q=0.5000", "image/webp;q=-1", "image/webp;q=+1",
            "image/webp;q=1e0",
            "image/webp;q =1", "image/webp;q= 1", "image/webp;q=\"1\"", "image/webp;q=0.5;q=0.5",
            "image/webp;q=0,5", "image/webp;q=0;level=1", "text/x;v=\"image/webp, image/webp", "image/wébp",
            "image/avif;q=0.9;v=\", image/webp\"", "\"image/webp\"", "image/webp image/webp",
        ])
    func `A type without one is not named`(_ value: String) {
        #expect(!AcceptHeader([value]).names("image/webp"))
    }

    @Test func `Several fields count as one list`() {
        let accept = AcceptHeader(["image/avif", "", "image/webp;q=0.1, image/png;q=0"])
        #expect(accept.names("image/avif") && accept.names("image/webp") && !accept.names("image/png"))
    }

    @Test func `A quoted string ends with its field`() {
        #expect(AcceptHeader(["text/x;v=\"", "image/webp"]).names("image/webp"))
    }

    @Test(
        .timeLimit(.minutes(1)), arguments: [",", ";", "\"", "\\", "image/webp,", "image/webp;q=0,", ";q=1"])
    func `A field of 100 kB is read in linear time`(_ piece: String) {
        let value = String(repeating: piece, count: 100_000 / piece.utf8.count)
        #expect(AcceptHeader([value]).names("image/webp") == (piece == "image/webp,"))
    }
}
