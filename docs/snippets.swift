import KingfisherGTK

// Names that snippets of the documentation use without declaring them.

let url = URL(filePath: "/photo.jpg")
let mirror = URL(filePath: "/mirror.jpg")
let smallURL = URL(filePath: "/small.jpg")
let nextPage = [url]
let photos = [url]
let image = Image()
let data = Data()
let secret = ""
let chunks = AsyncStream<Data> { $0.finish() }
@MainActor let view = ImageView()
@MainActor let imageView = ImageView()

// The parts of Hummingbird 2, Vapor 4 and their dependencies that the recipes for servers use. This
// repository depends on neither.

struct ByteBuffer {
    init(bytes: some Sequence<UInt8>) {}
}

struct HTTPField {
    struct Name: Hashable {
        init?(_ name: String) {}
    }

    init(name: Name, value: String) {}
}

struct HTTPFields {
    init(_ fields: some Sequence<HTTPField>) {}
    subscript(name: HTTPField.Name) -> String? { nil }
}

struct RequestMethod {
    let rawValue: String
}

struct HTTPHeaders {
    init(_ fields: [(String, String)]) {}
    func first(name: String) -> String? { nil }
    subscript(name: String) -> [String] { [] }
}

enum Hummingbird {
    struct Request {
        let method: RequestMethod
        let headers: HTTPFields
    }

    struct Response {
        struct Status {
            init(code: Int) {}
        }

        init(status: Status, headers: HTTPFields, body: ResponseBody) {}
    }

    struct ResponseBody {
        init(
            contentLength: Int?,
            _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
        ) {}
    }

    protocol ResponseBodyWriter {
        mutating func write(_ buffer: ByteBuffer) async throws
        consuming func finish(_ trailers: HTTPFields?) async throws
    }
}

enum Vapor {
    struct URI {
        let string: String
    }

    struct Request {
        let url: URI
        let method: RequestMethod
        let headers: HTTPHeaders
    }

    struct Response {
        struct Status {
            init(statusCode: Int) {}
        }

        struct Body {
            init(data: Data) {}
            init(
                managedAsyncStream: @Sendable @escaping (any AsyncBodyStreamWriter) async throws -> Void,
                count: Int
            ) {}
        }

        init(status: Status, headers: HTTPHeaders, body: Body) {}
    }

    protocol AsyncBodyStreamWriter: Sendable {
        func writeBuffer(_ buffer: ByteBuffer) async throws
    }
}
