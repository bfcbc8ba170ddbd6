import Glibc
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
        schedule(in: readLimit, .headDeadline, context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            pending += 1
            schedule(in: readLimit, .bodyDeadline, context)
        case .body: break
        case .end: deadline?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            pending -= 1
            // Hummingbird's timer is extended by each byte; this one is not.
            if pending == 0 { schedule(in: idleLimit + readLimit, .headDeadline, context) }
        }
        context.write(data, promise: promise)
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
