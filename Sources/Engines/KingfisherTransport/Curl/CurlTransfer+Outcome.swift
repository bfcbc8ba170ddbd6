import CCurl

extension CurlTransfer {
    func outcome(_ code: CURLcode) -> Result<TransportMetrics, TransportError> {
        if let refusal { return .failure(refusal) }
        guard let handle else { return .failure(.io("libcurl error \(code.rawValue)")) }
        guard code == CURLE_OK else {
            if isFlood {
                return .failure(.malformed("\(host) sent data without a body faster than it could be read"))
            }
            if code == CURLE_COULDNT_CONNECT {
                if let shortage = socketError.flatMap(TransportError.init(noDescriptor:)) {
                    return .failure(shortage)
                }
                if wasAddressRefused { return .failure(addressRefusal) }
            }
            return .failure(
                TransportError(
                    code, message: handle.message, limits: request.limits, host: host,
                    verification: handle.long(CURLINFO_SSL_VERIFYRESULT), hasResponse: response != nil))
        }
        guard response != nil else { return .failure(.malformed("no response head")) }
        return .success(metrics(handle))
    }

    private func metrics(_ handle: CurlHandle) -> TransportMetrics {
        let now = MonotonicTime.now
        let beforeCurl = (timeline.resolved - timeline.start).seconds
        let seconds = { (info: CURLINFO) in Double(handle.offset(info)) / 1_000_000 }
        // libcurl counts from its own start, and its lookup time includes the wait for a connection.
        let (lookup, connect, tls) = (
            seconds(CURLINFO_NAMELOOKUP_TIME_T), seconds(CURLINFO_CONNECT_TIME_T),
            seconds(CURLINFO_APPCONNECT_TIME_T)
        )
        let isReused = handle.long(CURLINFO_NUM_CONNECTS) == 0
        var metrics = TransportMetrics()
        metrics.dns = resolveEntries.isEmpty ? 0 : beforeCurl
        metrics.connect = isReused ? 0 : max(0, connect - lookup)
        metrics.tls = isReused || tls == 0 ? 0 : max(0, tls - connect)
        metrics.firstByte = beforeCurl + seconds(CURLINFO_STARTTRANSFER_TIME_T)
        metrics.total = (now - timeline.start).seconds
        metrics.bytesSent = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        metrics.bytesReceived = handle.offset(CURLINFO_SIZE_DOWNLOAD_T)
        metrics.bytesDecoded = decodedBytes
        metrics.reusedConnection = isReused
        metrics.remoteIP = handle.string(CURLINFO_PRIMARY_IP)
        metrics.protocolName =
            switch handle.long(CURLINFO_HTTP_VERSION) {
            case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
            case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
            case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
            default: ""
            }
        return metrics
    }
}

extension Duration {
    /// Division by a second would convert 128-bit numbers, which takes hundreds of instructions.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
