import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOExtras
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Accepts the connections of a listener and passes their requests to a responder, until a graceful shutdown.
///
/// Hummingbird's `Application` does the same, but cannot take over a socket that systemd has opened.
struct ListenerService<Responder: HTTPResponder>: Service where Responder.Context == ServerContext {
    let responder: Responder
    let listener: ServerSettings.Listener
    /// The setting of the listener, as which systemd may have named its socket.
    let name: String
    let channel: HTTP1Channel.Configuration
    /// Further connections wait in the kernel.
    let maximumConnections: Int
    let logger: Logger
    /// Called with the port, if there is one, once connections are accepted.
    let whenRunning: @Sendable (Int?) -> Void

    func run() async throws {
        let date = DateField()
        let channel = HTTP1Channel(
            responder: { (request, writer: consuming ResponseWriter, channel) in
                let response = await response(to: request, channel, date.text)
                try await writer.write(response: response.head, body: response.body)
            }, configuration: channel)
        let group = MultiThreadedEventLoopGroup.singleton
        let quiescing = ServerQuiescingHelper(group: group)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .serverChannelInitializer { [maximumConnections] server in
                server.eventLoop.makeCompletedFuture {
                    try server.pipeline.syncOperations.addHandlers([
                        AvailableConnectionsChannelHandler(maxConnections: maximumConnections),
                        quiescing.makeServerChannelHandler(channel: server),
                    ])
                }
            }
        let server = try await bind(bootstrap) { [logger] in channel.setup(channel: $0, logger: logger) }
        await withGracefulShutdownHandler {
            whenRunning(server.channel.localAddress?.port)
            await serve(server, channel)
        } onGracefulShutdown: {
            quiescing.initiateShutdown(promise: nil)
        }
    }

    private typealias Server = NIOAsyncChannel<HTTP1Channel.Value, Never>

    private func bind(
        _ bootstrap: ServerBootstrap,
        _ setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<HTTP1Channel.Value>
    ) async throws -> Server {
        switch listener {
        case .tcp(let host, let port):
            try await bootstrap.bind(host: host, port: port, childChannelInitializer: setUp)
        case .unix(let path):
            try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true, childChannelInitializer: setUp)
        case .systemd:
            try await bootstrap.bind(
                SystemdSockets.passed().descriptor(named: name), childChannelInitializer: setUp)
        }
    }

    private func serve(_ server: Server, _ channel: HTTP1Channel) async {
        await withDiscardingTaskGroup { tasks in
            do {
                try await server.executeThenClose { connections in
                    for try await connection in connections {
                        tasks.addTask {
                            await withTaskExecutorPreference(LoopExecutor(connection.channel.eventLoop)) {
                                await channel.handle(value: connection, logger: logger)
                            }
                        }
                    }
                }
            } catch {
                logger.error("The listener \(listener.text) has ended: \(error)")
            }
        }
    }

    private func response(to request: Request, _ channel: any Channel, _ date: String) async -> Response {
        let context = ServerContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        var response: Response
        do {
            response = try await responder.respond(to: request, context: context)
        } catch {
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = date
        response.headers[.server] = "kingfisher-server"
        return response
    }
}

/// The field `Date` (RFC 9110, section 6.6.1), formatted once a second. Safe from any thread.
private final class DateField: Sendable {
    private let last = Mutex((second: 0, text: ""))

    var text: String {
        let now = time(nil)
        return last.withLock { last in
            if last.second != now { last = (now, Self.format(now)) }
            return last.text
        }
    }

    /// In the locale C, in which programs start.
    private static func format(_ second: Int) -> String {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        return String(unsafeUninitializedCapacity: 64) { text in
            text.withMemoryRebound(to: CChar.self) {
                guard let start = $0.baseAddress else { return 0 }
                return strftime(start, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            }
        }
    }
}
