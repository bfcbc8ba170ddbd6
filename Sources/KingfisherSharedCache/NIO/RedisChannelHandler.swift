#if SharedCache
    import NIOCore

    /// Commands that are written together.
    struct RedisBatch: Sendable {
        var replies: [PendingReply]
    }

    /// Writes commands, and matches replies to them in order. Runs on the event loop of its channel.
    ///
    /// If bytes are malformed, or a node sends nothing for the response timeout while commands wait, all
    /// waiting commands fail and the channel is closed.
    final class RedisChannelHandler: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = Never
        typealias OutboundIn = RedisBatch
        typealias OutboundOut = ByteBuffer

        /// A reply may take this many times the response timeout, even if bytes arrive.
        private static let slowest = 25

        private let responseTimeout: TimeAmount
        /// Called with the number of commands that have ended.
        private let ended: @Sendable (Int) -> Void
        /// Called once, if the channel fails after its first reply while commands wait.
        private let failed: @Sendable (RedisError) -> Void
        private var parser: RESPParser
        private var replies: [RESPValue] = []
        private var pending: CircularBuffer<PendingReply> = []
        private var failure: RedisError?
        private var isReady = false
        /// For the first reply, which ends the handshake of TLS and authentication, that of connecting.
        private var timeout: TimeAmount
        private var lastProgress = NIODeadline.now()
        private var headSince = NIODeadline.now()
        private var timer: Scheduled<Void>?

        init(
            limits: RESPParser.Limits, connectTimeout: TimeAmount, responseTimeout: TimeAmount,
            ended: @escaping @Sendable (Int) -> Void, failed: @escaping @Sendable (RedisError) -> Void
        ) {
            parser = RESPParser(limits)
            timeout = connectTimeout
            self.responseTimeout = responseTimeout
            self.ended = ended
            self.failed = failed
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            let batch = unwrapOutboundIn(data)
            guard failure == nil else {
                for reply in batch.replies { reply.complete(.failure(failure ?? .closed)) }
                promise?.fail(ChannelError.ioOnClosedChannel)
                return ended(batch.replies.count)
            }
            if pending.isEmpty { (lastProgress, headSince) = (.now(), .now()) }
            var buffer = context.channel.allocator.buffer(
                capacity: batch.replies.reduce(0) { $0 + $1.bytes.count })
            for reply in batch.replies {
                buffer.writeBytes(reply.bytes)
                pending.append(reply)
            }
            context.write(wrapOutboundOut(buffer), promise: promise)
            startTimer(context)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard failure == nil else { return }
            lastProgress = .now()
            do throws(RESPError) {
                let buffer = unwrapInboundIn(data)
                try buffer.withUnsafeReadableBytes { bytes throws(RESPError) in
                    try parser.parse(bytes, into: &replies)
                }
            } catch {
                deliver(context)
                return fail(.malformedReply("\(error)"), context)
            }
            deliver(context)
        }

        private func deliver(_ context: ChannelHandlerContext) {
            var isAnswered = false
            for value in replies {
                if case .push = value { continue }
                guard let reply = pending.popFirst() else {
                    fail(.malformedReply("unexpected reply"), context)
                    break
                }
                // First, because the caller may send the next command at once.
                ended(1)
                reply.complete(Self.result(value))
                isAnswered = true
            }
            replies.removeAll(keepingCapacity: true)
            guard isAnswered else { return }
            headSince = lastProgress
            if !isReady { becomeReady(context) }
        }

        private func becomeReady(_ context: ChannelHandlerContext) {
            (isReady, timeout) = (true, responseTimeout)
            timer?.cancel()
            timer = nil
            if failure == nil, !pending.isEmpty { startTimer(context) }
        }

        private static func result(_ value: RESPValue) -> ReplyResult {
            if case .error(let text) = value { .failure(.server(text)) } else { .success(value) }
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            lastProgress = .now()
            context.fireChannelWritabilityChanged()
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            fail(.unreachable("\(error)"), context)
        }

        func channelInactive(context: ChannelHandlerContext) {
            fail(.unreachable("closed by the node"), context)
            context.fireChannelInactive()
        }

        private func fail(_ error: RedisError, _ context: ChannelHandlerContext) {
            guard failure == nil else { return }
            failure = error
            timer?.cancel()
            let waiting = Array(pending)
            pending.removeAll()
            // An idle connection may be closed. The failure counts before the callers can send again.
            if isReady, !waiting.isEmpty { failed(error) }
            context.close(promise: nil)
            ended(waiting.count)
            for reply in waiting { reply.complete(.failure(error)) }
        }

        /// One timer for all commands, started again while some wait.
        private func startTimer(_ context: ChannelHandlerContext) {
            guard timer == nil else { return }
            let due = min(lastProgress + timeout, headSince + timeout * Self.slowest)
            timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) { [self] in
                timer = nil
                guard failure == nil, !pending.isEmpty else { return }
                let now = NIODeadline.now()
                guard now < lastProgress + timeout, now < headSince + timeout * Self.slowest else {
                    return fail(.timedOut, context)
                }
                startTimer(context)
            }
        }
    }
#endif
