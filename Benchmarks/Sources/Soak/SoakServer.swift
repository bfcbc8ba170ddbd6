import Foundation
import KingfisherTestSupport

/// The fault of a request, by the first component of its path.
enum SoakPath: String, CaseIterable {
    case image, missing, broken, reset, half, loop, notGzip, silent

    static let faults = allCases.filter { $0 != .image }

    func answer(_ image: Data) -> ServerResponse {
        switch self {
        case .image: .ok(image)
        case .missing: .status(404, body: Data("no".utf8))
        case .broken: .ok(Data(image.prefix(image.count / 2)))
        case .reset: ServerResponse([.reset])
        case .half: .partial(image.prefix(512), of: image.count, then: .close)
        case .loop: .redirect(to: "/loop/again")
        case .notGzip: .ok(image, headers: [("Content-Encoding", "gzip")])
        case .silent: ServerResponse([.hang])
        }
    }
}

/// The server process, for the client.
struct SoakServer {
    let port: UInt16
    private let process = Process()
    private let input = Pipe()

    /// Starts this program again as a server.
    init() throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--serve"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .newlines)) else {
            throw CocoaError(.fileReadUnknown)
        }
        self.port = port
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Runs the server until standard input ends.
    static func serve() throws {
        let image = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        let server = try LoopbackServer(keepsRequests: false) { request in
            let name = request.path.split(separator: "/").first.map(String.init) ?? ""
            return SoakPath(rawValue: name)?.answer(image) ?? .status(400)
        }
        print(server.port)
        fflush(nil)
        while !FileHandle.standardInput.availableData.isEmpty {}
        server.stop()
    }
}
