import Foundation
import Kingfisher

extension SettingValue {
    /// `HOST:PORT`, `[ADDRESS]:PORT`, `unix:PATH` or `systemd`.
    func listener() throws(SettingReason) -> ServerSettings.Listener {
        if text == "systemd" { return .systemd }
        if text.hasPrefix("unix:") { return .unix(path: try socketPath(text.dropFirst(5))) }
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { throw SettingReason("\(quoted) is not HOST:PORT, unix:PATH or systemd.") }
        var host = String(text[..<colon])
        guard !host.isEmpty, host != "*" else {
            throw SettingReason("Write 0.0.0.0:\(port) or [::]:\(port) for all addresses.")
        }
        if host.contains(":") || host.hasPrefix("[") {
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            host = String(host.dropFirst().dropLast())
            guard isBracketed, IPAddress(host)?.isIPv6 == true else {
                throw SettingReason("\(quoted) is not HOST:PORT. An IPv6 address is in brackets.")
            }
        }
        guard host.wholeMatch(of: /[A-Za-z0-9._:-]{1,253}/) != nil else {
            throw SettingReason("\(quoted) is not HOST:PORT, unix:PATH or systemd.")
        }
        return .tcp(host: host, port: port)
    }

    /// The address of a socket has 108 bytes, with a null.
    private func socketPath(_ text: Substring) throws(SettingReason) -> String {
        let path = text.isEmpty ? "" : URL(filePath: String(text), relativeTo: folder).path
        guard (1...107).contains(path.utf8.count) else {
            throw SettingReason("The path of a socket has 1 to 107 bytes.")
        }
        return path
    }

    /// A network, or an address as a network of one.
    func network() throws(SettingReason) -> IPNetwork {
        if let network = IPNetwork(text) { return network }
        guard let address = IPAddress(text),
            let network = IPNetwork("\(text)/\(address.bytes.count * 8)")
        else {
            throw SettingReason("\(quoted) is not an address or a network such as 10.0.0.0/8.")
        }
        return network
    }

    /// The value of a header field with an origin.
    func origin() throws(SettingReason) -> String {
        guard text.utf8.count <= 255, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            text == "*" || text.wholeMatch(of: /https?:\/\/[^\/?#@,]+/) != nil
        else { throw SettingReason("\(quoted) is not * or an origin such as https://example.com.") }
        return text
    }
}

extension ServerSettings.Listener {
    /// Whether only programs of this machine can connect; not known of a socket of systemd.
    var isLocal: Bool {
        switch self {
        case .unix: true
        case .systemd: false
        case .tcp(let host, _):
            host == "localhost" || host == "::1" || (IPAddress(host) != nil && host.hasPrefix("127."))
        }
    }

    /// The text of the setting.
    public var text: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .systemd: "systemd"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}
