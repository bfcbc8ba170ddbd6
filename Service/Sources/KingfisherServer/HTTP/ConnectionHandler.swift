import Glibc
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Bounds what one client can hold: the time for the head of a request, for its body, and between requests;
/// and notices when the client closes its side.
///
/// Bytes of a head that arrive slowly do not extend a deadline. Runs on the event loop of its channel.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    private let readLimit: TimeAmount
    private let idleLimit: TimeAmount
    private var connection: Connection?
    private var deadline: Scheduled<Void>?
    /// Requests whose response is not complete.
    private var pending = 0
    /// Whether the last request has been received with its body.
    private var isReceived = true
    /// Whether the last response was sent before its request was received, so that the rest of the request
    /// is dropped, and the connection then closed: it must not be read as another request.
    private var isLast = false

    init(_ connections: Connections, read: TimeAmount, idle: TimeAmount) {
        (self.connections, readLimit, idleLimit) = (connections, read, idle)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        begin(context)
    }

    func channelActive(context: ChannelHandlerContext) {
        if connection == nil { begin(context) }
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        connection = connections.open(context.channel)
        guard connection != nil else { return reset(context, .clientConnections) }
        // Not for Unix domain sockets, which do not have it.
        try? context.channel.syncOptions?.setOption(
            .tcpOption(Self.unsentLowWatermark), value: Self.maximumUnsentBytes)
        schedule(in: readLimit, .headDeadline, context)
    }

    /// TCP_NOTSENT_LOWAT of Linux, which limits what the kernel holds besides the client's window. Without it
    /// the kernel takes megabytes for each client that does not read.
    private static let unsentLowWatermark = NIOBSDSocket.Option(rawValue: 25)
    private static let maximumUnsentBytes = 128 << 10

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A response has said that there would be no other one.
        if isLast, isReceived { return }
        switch unwrapInboundIn(data) {
        case .head:
            (pending, isReceived) = (pending + 1, false)
            schedule(in: readLimit, .bodyDeadline, context)
        case .body: break
        case .end:
            isReceived = true
            if isLast, pending == 0 { return context.close(promise: nil) }
            deadline?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response) where pending == 1 && !isReceived:
            isLast = true
            response.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(response)), promise: promise)
        case _ where isLast && pending == 0:
            // Hummingbird's response to what is malformed in the rest of a request that has a response.
            promise?.fail(ChannelError.outputClosed)
            context.close(promise: nil)
        case .end:
            pending = max(pending - 1, 0)
            if isLast, isReceived {
                context.writeAndFlush(data).assumeIsolated().whenComplete { _ in context.close(promise: nil) }
                promise?.succeed()
            } else {
                // Hummingbird's timer is extended by each byte; this one is not. The rest of a request keeps
                // the deadline of its head.
                if pending == 0, !isLast { schedule(in: idleLimit + readLimit, .headDeadline, context) }
                context.write(data, promise: promise)
            }
        default: context.write(data, promise: promise)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { connection?.clientLeft() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    private func end(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        guard connection != nil else { return }
        connection = nil
        connections.close(context.channel)
    }

    private func schedule(
        in limit: TimeAmount, _ reason: ServerMetrics.Refusal, _ context: ChannelHandlerContext
    ) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: limit) {
            self.reset(context, reason)
        }
    }

    private func reset(_ context: ChannelHandlerContext, _ reason: ServerMetrics.Refusal) {
        connections.didRefuse(reason)
        context.channel.reset()
    }
}

extension Channel {
    /// Closes the connection. Without a time to linger, the kernel also drops what it has buffered.
    func reset() {
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        close(promise: nil)
    }
}
