import Foundation
import KingfisherTestSupport

/// What a request meets, by the first component of its path.
enum SoakPath: String, CaseIterable {
    case picture, missing, broken, reset, half, loop, notGzip, silent

    static let faults = allCases.filter { $0 != .picture }

    func answer(_ picture: Data) -> ServerResponse {
        switch self {
        case .picture: .ok(picture)
        case .missing: .status(404, body: Data("no".utf8))
        case .broken: .ok(Data(picture.prefix(picture.count / 2)))
        case .reset: ServerResponse([.reset])
        case .half: .partial(picture.prefix(512), of: picture.count, then: .close)
        case .loop: .redirect(to: "/loop/again")
        case .notGzip: .ok(picture, headers: [("Content-Encoding", "gzip")])
        case .silent: ServerResponse([.hang])
        }
    }
}

/// The server's process, as the client sees it.
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

    /// Is the server, until standard input ends.
    static func serve() throws {
        let picture = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        let server = try LoopbackServer(keepsRequests: false) { request in
            let name = request.path.split(separator: "/").first.map(String.init) ?? ""
            return SoakPath(rawValue: name)?.answer(picture) ?? .status(400)
        }
        print(server.port)
        fflush(nil)
        while !FileHandle.standardInput.availableData.isEmpty {}
        server.stop()
    }
}
