import CCurl
import Foundation
import FoundationNetworking

/// The event loop that owns every libcurl handle. Each round takes commands, runs libcurl, reports finished
/// transfers and sleeps.
///
/// An instance exists only inside ``run(_:_:)``, on one thread. Other threads use its mailbox.
final class CurlLoop {
    private let mailbox: CurlMailbox
    private let multi: CurlMulti
    private let configuration: CurlTransport.Configuration
    private let proxies: ProxyEnvironment
    private let standard: StandardFields
    // Unchecked for speed, as in CurlTransfer.
    /// The started transfers, in any order; each knows its position.
    @exclusivity(unchecked) private var transfers: [CurlTransfer] = []
    @exclusivity(unchecked) private var warmHandles: [CurlHandle] = []
    private let watch: DeadlineWatch
    private let schedule: LoopSchedule
    private let floods: FloodWatch
    private let round = LoopIteration()

    /// A few KB each. As many as run concurrently on a busy server: creating one costs up to a tenth of a
    /// small transfer.
    private static let maxWarmHandles = 128

    static func run(_ mailbox: CurlMailbox, _ configuration: CurlTransport.Configuration) {
        // With CURLOPT_NOSIGNAL, a broken pipe inside the TLS library would end the process.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        kf_keep_freed_memory()

        guard let multi = CurlMulti(maxConnectionsPerHost: configuration.maxConnectionsPerHost) else {
            for case .start(let transfer) in mailbox.close() {
                transfer.finish(.failure(.io("libcurl could not be initialised")))
            }
            return
        }
        mailbox.open(multi)
        let loop = CurlLoop(mailbox, multi, configuration)
        loop.round.enter()
        while loop.runRound() {}
        loop.shutDown()
        loop.round.leave()
    }

    private init(_ mailbox: CurlMailbox, _ multi: CurlMulti, _ configuration: CurlTransport.Configuration) {
        self.mailbox = mailbox
        (watch, schedule, floods) = (mailbox.loop.watch, mailbox.loop.schedule, mailbox.loop.floods)
        self.multi = multi
        self.configuration = configuration
        proxies = ProxyEnvironment(configuration.environment)
        standard = StandardFields(userAgent: configuration.userAgent)
    }

    private func runRound() -> Bool {
        let start = MonotonicTime.now
        watch.roundStart = start
        for transfer in schedule.begin(at: start) where transfer.place != nil {
            continueDelivery(of: transfer)
        }
        let (commands, isSuspended) = mailbox.takeAll()
        if isSuspended != mailbox.loop.isSuspended { setSuspended(isSuspended) }
        for (index, command) in commands.enumerated() where !execute(command) {
            for case .start(let transfer) in commands[(index + 1)...] {
                transfer.finish(.failure(.cancelled))
            }
            return false
        }
        endOverdue()
        // Repeat until no transfer ends: the end of a transfer makes room for one that libcurl has queued,
        // and libcurl's poll may otherwise sleep (seen in 7.88).
        var hasEnded = true
        while hasEnded {
            hasEnded = false
            watch.roundStart = .now
            floods.enterLibrary()
            multi.perform()
            floods.leaveLibrary()
            while let (pointer, code) = multi.nextFinished() {
                hasEnded = true
                let handle = Unmanaged<CurlHandle>.fromOpaque(pointer).takeUnretainedValue()
                guard let transfer = handle.transfer?.takeUnretainedValue() else { continue }
                if transfer.isWaiting, code == CURLE_OK, !transfer.isCancelled {
                    transfer.heldCode = code
                } else if !startsAgain(transfer, after: code) {
                    finish(transfer, transfer.outcome(code))
                }
            }
        }
        round.end()
        multi.poll(milliseconds: watch.milliseconds(from: .now, orUntil: schedule.next))
        return true
    }

    /// Repeats a request on a new connection, once, if its HTTP/2 connection has ended before a response.
    private func startsAgain(_ transfer: CurlTransfer, after code: CURLcode) -> Bool {
        guard let handle = transfer.handle, transfer.mayStartAgain(after: code) else { return false }
        multi.remove(handle)
        handle.avoidsOpenConnections()
        return multi.add(handle)
    }

    private func execute(_ command: CurlMailbox.Command) -> Bool {
        switch command {
        case .start(let transfer):
            start(transfer)
        case .resolved(let transfer, let result):
            if transfer.place != nil { resolved(transfer, result) }
        case .resume(let transfer):
            if transfer.place != nil, transfer.isHeld { resume(transfer) }
        case .cancel(let transfer):
            if transfer.place != nil { finish(transfer, .failure(.cancelled)) }
        case .shutDown:
            return false
        }
        return true
    }

    private func setSuspended(_ isSuspended: Bool) {
        mailbox.loop.isSuspended = isSuspended
        for transfer in transfers {
            transfer.followSuspension()
            if !transfer.isWaiting { continueDelivery(of: transfer) }
        }
    }

    private func start(_ transfer: CurlTransfer) {
        transfer.place = transfers.count
        transfers.append(transfer)
        if mailbox.loop.isSuspended { transfer.followSuspension() }
        guard !transfer.isCancelled else { return finish(transfer, .failure(.cancelled)) }
        guard let url = transfer.url, let origin = transfer.origin,
            origin.scheme == "http" || origin.scheme == "https"
        else { return finish(transfer, .failure(.invalidRequest("the URL is not an http or https URL"))) }
        if origin.scheme == "https" { floods.begin() }
        let server = Endpoint(host: origin.host, port: origin.port)
        transfer.proxy = transfer.request.addressPolicy.isGuarded ? nil : proxies.proxy(for: url)
        if transfer.proxy != nil || !server.isNumeric {
            transfer.lookups = ProxyEnvironment.lookups(for: server, proxy: transfer.proxy).filter {
                !$0.isNumeric
            }
        }
        if !transfer.lookups.isEmpty { transfer.beginResolving() }
        proceed(transfer)
    }

    private func proceed(_ transfer: CurlTransfer) {
        if let endpoint = transfer.lookups.last {
            configuration.resolver.resolve(endpoint.host) { [mailbox] result in
                mailbox.post(.resolved(transfer, result))
            }
            return
        }
        transfer.endResolving()
        do throws(TransportError) {
            let handle = try prepareHandle(for: transfer)
            transfer.handle = handle
            guard multi.add(handle) else { throw .io("libcurl refused the transfer") }
        } catch {
            finish(transfer, .failure(error))
        }
    }

    private func resolved(_ transfer: CurlTransfer, _ result: Result<[IPAddress], TransportError>) {
        guard let endpoint = transfer.lookups.popLast() else { return }
        switch result {
        case .success(let addresses) where addresses.isEmpty:
            finish(transfer, .failure(.resolve("\(endpoint.host) has no address")))
        case .success(let addresses):
            // The connection is pinned to the allowed addresses: the name is not resolved again.
            let allowed = addresses.filter(transfer.request.addressPolicy.allows)
            guard !allowed.isEmpty else {
                return finish(transfer, .failure(transfer.addressRefusal))
            }
            transfer.resolveEntries.append(endpoint.curlResolveEntry(allowed))
            proceed(transfer)
        case .failure(let error):
            finish(transfer, .failure(error))
        }
    }

    private func resume(_ transfer: CurlTransfer) {
        transfer.release()
        continueDelivery(of: transfer)
    }

    private func continueDelivery(of transfer: CurlTransfer) {
        switch transfer.deliverPending() {
        case .paused: break
        case .refused: finish(transfer, transfer.outcome(CURLE_WRITE_ERROR))
        case .taken:
            if let code = transfer.heldCode {
                finish(transfer, transfer.outcome(code))
            } else {
                transfer.handle?.resume()
            }
        }
    }

    private func prepareHandle(for transfer: CurlTransfer) throws(TransportError) -> CurlHandle {
        let request = transfer.request.urlRequest
        let method = transfer.method
        guard RequestFields.isToken(method) else {
            throw .invalidRequest("invalid method \(method.debugDescription)")
        }
        guard request.httpBodyStream == nil else {
            throw .invalidRequest("body streams are not supported; use httpBody")
        }
        let fields = try RequestFields(request, standard)
        let warmHandle = transfer.isPlain ? warmHandles.popLast() : nil
        guard let handle = warmHandle ?? CurlHandle(mailbox.loop.sockets) else {
            throw .io("libcurl could not create a handle")
        }
        handle.prepare(for: transfer, fields: fields.lines, userAgent: configuration.userAgent)
        if !transfer.isPlainGET { handle.setMethod(method, body: request.httpBody) }
        if let tls = transfer.tls {
            handle.setTLS(tls, system: configuration.systemAuthorities ?? CurlHandle.defaultAuthorities)
        }
        guard handle.status == CURLE_OK else {
            throw TransportError(
                handle.status, message: handle.message, limits: transfer.request.limits,
                host: transfer.host, hasResponse: false)
        }
        return handle
    }

    private func finish(_ transfer: CurlTransfer, _ result: Result<TransportMetrics, TransportError>) {
        remove(transfer)
        if let handle = transfer.handle {
            transfer.handle = nil
            // This aborts an unfinished exchange and closes its connection.
            multi.remove(handle)
            handle.endTransfer()
            if transfer.isPlain, transfer.canReuseHandle, warmHandles.count < Self.maxWarmHandles {
                warmHandles.append(handle)
            }
        }
        transfer.finish(result)
    }

    private func remove(_ transfer: CurlTransfer) {
        guard let place = transfer.place.take(), let last = transfers.popLast(), last !== transfer else {
            return
        }
        transfers[place] = last
        last.place = place
    }

    private func endOverdue() {
        let now = MonotonicTime.now
        guard watch.isDue(at: now) else { return }
        for transfer in transfers {
            guard let deadline = transfer.timeline.deadline, deadline.time <= now else {
                watch.cover(transfer.timeline)
                continue
            }
            if deadline.phase == .idle, transfer.hasReceived(before: now) {
                continue
            } else if deadline.phase == .idle, transfer.hasUploaded() {
                transfer.noteUpload()
            } else {
                finish(transfer, .failure(.timedOut(deadline.phase)))
            }
        }
    }

    private func shutDown() {
        for transfer in transfers { finish(transfer, .failure(.cancelled)) }
        warmHandles.removeAll()
        for case .start(let transfer) in mailbox.close() { transfer.finish(.failure(.cancelled)) }
        multi.free()
    }
}
